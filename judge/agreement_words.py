"""What says that one agrees in the large languages other than English: whole sentences, no more.

None of them can limit or refuse anything alone; whatever stands beside them is judged by itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

#: Who says this agrees, by language (ISO 639-1); in lower case.
AGREEING: Mapping[str, Sequence[str]] = {
    "de": (
        "einverstanden",
        "ich bin einverstanden",
        "ich stimme zu",
        "ich stimme dem zu",
        "ich akzeptiere",
        "ich nehme den vertrag an",
        "ich nehme den vorschlag an",
        "ich nehme das angebot an",
        "angenommen",
        "abgemacht",
    ),
    "fr": (
        "d'accord",
        "je suis d'accord",
        "j'accepte",
        "accepté",
        "entendu",
        "marché conclu",
        "c'est d'accord",
    ),
    "es": ("de acuerdo", "estoy de acuerdo", "acepto", "aceptado", "trato hecho"),
    "pt": (
        "de acordo",
        "estou de acordo",
        "concordo",
        "aceito",
        "eu aceito",
        "combinado",
        "negócio fechado",
    ),
    "it": ("d'accordo", "sono d'accordo", "accetto", "accettato", "affare fatto"),
    "zh": ("同意", "我同意", "我接受", "接受", "成交", "我们同意"),
    "ja": ("同意します", "承諾します", "賛成です", "合意します", "受け入れます"),
    "ko": ("동의합니다", "동의해요", "수락합니다", "받아들입니다", "합의합니다"),
    "ru": (
        "согласен",
        "согласна",
        "я согласен",
        "я согласна",
        "принимаю",
        "я принимаю",
        "договорились",
        "по рукам",
    ),
}
#: Who says this says nothing against it.
FRIENDLY: Mapping[str, Sequence[str]] = {
    "de": ("ja", "gut", "in ordnung", "danke", "vielen dank", "das ist fair"),
    "fr": ("oui", "merci", "parfait", "très bien"),
    "es": ("sí", "gracias", "perfecto", "muy bien"),
    "pt": ("sim", "obrigado", "obrigada", "perfeito", "muito bem"),
    "it": ("sì", "grazie", "perfetto", "va bene"),
    "zh": ("好", "好的", "谢谢", "没问题"),
    "ja": ("はい", "ありがとうございます", "承知しました", "わかりました"),
    "ko": ("네", "좋아요", "좋습니다", "감사합니다"),
    "ru": ("да", "хорошо", "спасибо", "отлично"),
}
#: What ends a clause in these languages, and what stands before one without a meaning.
BREAKS, OPENS = "\u3002\uff01\uff0c\u3001\uff1b", "\u00a1"
