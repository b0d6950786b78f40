"""How chat models lead to an answer and take leave behind it: the words of :mod:`framing`.

English, and the commonest forms of German, Spanish, French, Italian, Portuguese, Chinese, Japanese
and Russian. Each pattern is the whole of a line.
"""

from __future__ import annotations

from records.text import caseless

_YES = (
    r"(?:sure(?: thing)?|certainly|of course|ok|okay|alright|all right|great|absolutely|got it"
    r"|understood|no problem|gladly|happy to help|definitely|with pleasure|good question"
    r"|nat\xfcrlich|gerne?|klar|sicher|claro(?: que s\xed)?|por supuesto|desde luego|bien s\xfbr"
    r"|d'accord|certo|certamente|com certeza|\u5f53\u7136|\u597d\u7684"
    r"|\u3082\u3061\u308d\u3093(?:\u3067\u3059)?|\u627f\u77e5\u3057\u307e\u3057\u305f"
    r"|\u043a\u043e\u043d\u0435\u0447\u043d\u043e|\u0445\u043e\u0440\u043e\u0448\u043e)"
)
_STOPS = r"[\s,.!\u2026\u3002\uff01\uff0c\xa1\u2013\u2014-]"

# --- What an answer is called ---------------------------------------------------------------------

_OWN = r"(?:(?:my|the|your|final|own|short|brief|one-line|complete|full|formatted|best)\s+){0,3}"
_NOUN = (
    r"(?:answers?|responses?|reply|output|respuesta(?: final)?|r\xe9ponse(?: finale)?"
    r"|(?:finale )?antwort|risposta(?: finale)?|resposta(?: final)?"
    r"|(?:\u6700\u7ec8)?(?:\u56de\u7b54|\u7b54\u6848)|\u7b54\u3048|\u043e\u0442\u0432\u0435\u0442)"
)
_ANSWER = r"(?:(?:final )?(?:answers?|responses?|reply|output|decisions?|choices?))"
_THING = (
    r"(?:results?|lines?|speech|goals?|plan|steps|insights?|feedback|opinion|ballot|votes?|verdict"
    r"|ruling|judge?ments?|amendments?|program|code|json(?: object)?|object|reading"
    r"|classification|score|summary|topics?)"
)
#: What each line has that calls something the answer: most lines have none of it.
MAY_CALL = caseless(
    r"answer|respon|repl|output|decision|choice|decide|vote|respuesta|r\xe9ponse|antwort|rispost"
    r"|respost|decisi|d\xe9cision|entscheidung|\u56de\u7b54|\u7b54|\u51b3\u5b9a"
    r"|\u043e\u0442\u0432\u0435\u0442"
)
#: A label before the answer, or a line above it, and a heading that is nothing else.
CALLED = caseless(rf"{_OWN}{_NOUN}\s*(?P<colon>:\s*(?P<rest>.*))?")
TITLED = caseless(rf"{_OWN}{_ANSWER}")
#: What makes one of several such the last word.
FINALLY = caseless(r"\bfinale?\b|\u6700\u7ec8")

# --- What leads to it -----------------------------------------------------------------------------

_TAIL = (
    r"(?:\s+(?:in|as|to|for|on|based on|following|according to|using|with|below|given)\b"
    r"[\w ',-]{0,60})?"
)
_FROM = (
    r"(?:(?:so|therefore|thus|hence|then|now|overall|finally"
    r"|(?:based on|given|considering|as|after|in view of)\b[^.:!?\n]{0,60}?)\s*,?\s+)?"
)
_HERE = (
    r"(?:(?:here|this|these|below)(?:'s| is| are) |below (?:is|are) )"
    r"(?:(?:my|the|your|a|an|one) )?(?:[\w-]+ ){0,3}"
)
_IS = r"(?: is| are| would be| will be|(?: is)? as follows)"
_ABROAD = (
    r"hier ist (?:meine|die) (?:antwort|entscheidung)"
    r"|aqu\xed (?:est\xe1|tienes?) (?:mi|la) (?:respuesta|decisi\xf3n)"
    r"|voici (?:ma|la) (?:r\xe9ponse|d\xe9cision)|ecco la (?:mia )?(?:risposta|decisione)"
    r"|aqui est\xe1 (?:a )?(?:minha )?(?:resposta|decis\xe3o)"
    r"|(?:\u4ee5\u4e0b\u662f|\u8fd9\u662f)\u6211\u7684(?:\u56de\u7b54|\u7b54\u6848|\u51b3\u5b9a)"
    r"|(?:\u4ee5\u4e0b\u304c|\u3053\u308c\u304c)\u79c1\u306e(?:\u56de\u7b54|\u7b54\u3048)"
    r"(?:\u3067\u3059)?|\u0432\u043e\u0442 \u043c\u043e\u0439 \u043e\u0442\u0432\u0435\u0442"
)
_SURELY = rf"(?:\xa1?{_YES}\s*{_STOPS}+)?{_FROM}"
#: A line that says that the answer follows.
ANNOUNCES = caseless(
    rf"{_SURELY}(?:{_HERE}{_ANSWER}{_TAIL}|{_OWN}{_ANSWER}{_IS}"
    r"|i(?:'d| would| will|'ll)? (?:answer|respond|reply|decide|vote)"
    rf"(?: with| as follows| like this)?|{_ABROAD})\s*:"
)
#: What a model says before it gives an answer once more, because it was asked to.
_SORRY = (
    r"(?:(?:you(?:'re| are) right|understood|apologies|my apologies|i apologi[sz]e|sorry)"
    r"(?: (?:about that|for (?:the|that|my|any) \w+))?[\s,.!;:-]+)"
)
_COUNTS = r"(?:only (?:the|my) (?:final )?answer(?: itself)? (?:counts|matters)[\s,.!;:-]+)"
_AGAIN = (
    r"(?:(?:here(?:'s| is| it is)|this is)(?: (?:again|just|only|the|my|final|same|bare)){0,4}"
    r"(?: (?:answer|vote|decision|plan|program|choice|one|version))?"
    r"(?:,? (?:alone|again|itself|only))?"
    r"|(?:the|my)(?: final)? (?:answer|vote|decision|plan|program|choice)"
    r"(?:,? (?:alone|again|itself|stands|(?:is|remains)(?: the same| unchanged)?))?"
    r"|(?:to confirm|confirmed|i confirm(?: (?:it|this|that|my \w+))?|i mean it so"
    r"|i stand by (?:it|this|that|my \w+)))"
)
#: A line at the beginning that only leads to what follows it.
LEADS = caseless(
    rf"(?:{_SORRY}|{_COUNTS})*{_AGAIN}\s*[:.]|(?:{_SORRY}|{_COUNTS})+"
    rf"|(?:{_YES}{_STOPS}*){{1,2}}"
    rf"|{_SURELY}(?:{_HERE}(?:{_THING}{_TAIL}\s*:|{_ANSWER}{_TAIL}\s*\.)|{_OWN}{_THING}{_IS}?\s*:)"
    r"|[(\[](?:in[ -]character|as \w+)[)\]]"
    r"|(?:pauses|thinks|considers)(?: (?:about )?(?:it|this))?(?: for a (?:moment|while|bit)"
    r"| briefly| carefully)?[.\u2026]*"
)
#: Words of which a line consists that only says, with some courtesy, that the answer comes anew:
#: ``Apologies for the extra text. Here is just the JSON object:``. None denies or limits anything.
#: Such a line is behind a complaint only; elsewhere it may be speech.
_COURTESIES = (
    r"no problem|no extra (?:words?|text)|not following|nothing else|further ado|my bad|you go"
    r"|pointing (?:that |this |it )?out|once more|requested by you"
    r"|i(?:'ll|'m| am)?|you(?:'re| are)?|it|this|that|the|my|a|an|your|me|let"
    r"|here(?:'s| is| it is)?|is|are|will|would|be|was|were|in|to|of|for|about|as|and|with"
    r"|without|now|so|then|have|had"
    r"|apologi[sz]e|apologies|apology|sorry|pardon|thanks?|understood|understand|noted"
    r"|acknowledged|right|correct|sure|certainly|course|ok|okay|got|see|agree|confusion|mistake"
    r"|error|oversight"
    r"|misunderstanding|misunderstood|misread|extra|additional|any|other|all|text|words?|wording"
    r"|explanations?|comments?|remarks?|notes?|commentary|formatting|inconvenience|previous|earlier"
    r"|clarification|clarifying|clear|feedback|guidance|reminder|patience|appreciate|instructions?"
    r"|answers?|responses?|reply|output|decision|choice|vote|ballot|plan|program|code|verdict"
    r"|judge?ments?|message|amendments?|json|object|block|lines?|form|format|version|content|goal"
    r"|requested|required|asked|desired|expected|proper|exact|exactly|specified|clean|complete|full"
    r"|valid|corrected|revised|updated|reformatted|fixed|fix|rewrite|same|unchanged|again|alone"
    r"|only|just|itself|stays?|stands?|remains?|confirm(?:ed)?|repeat(?:ed|ing)?|restate|give"
    r"|giving|provide|providing|write|try|send|answering|respond|counts?|matters?|final|bare"
    r"|simply|please|following|follows|below|above|yes|mean|meant|chose|reconsidered|absolutely"
    r"|completely|directly|including|incorrect|unnecessary|needed|time|one"
)
COURTESY = caseless(
    r"(?=.*(?:\bi(?:'m| do)? (?:apolog|sorry|underst)|my apolog|apologies|understood|clarif|confus"
    r"|noted|acknowledg|version|my bad|pointing|no problem|no extra|here you go|\bmeant|further ado"
    r"|misunder|correct|you(?:'re| are) (?:\w+ )?right|here(?:'s| is)|\banswer\b|respon|format|json"
    r"|object|again|i confirm|let me (?:try|fix|rewrite)|repeat|reminder|restate|as above|mean it))"
    rf"(?:(?:{_COURTESIES})\b[\s,.!:;-]*+){{1,40}}+"
)
#: A line above an answer that was asked for once more, which is about the answer or its form.
OPENS = caseless(
    r"(?=.*\b(?:answers?|versions?|forms?|formats?|format(?:ted|ting)|reformatted|comment(?:s|ary)"
    r"|extras?|words?|text|notes?|chatter|request(?:ed)?|asked|respon(?:se|d)s?|reply|output|json"
    r"|object|lines?|again|clean(?:ed)?|sorry|apolog(?:y|ies|ize)|understood|got it|noted|right"
    r"|oops|whoops|okay|ok|sure|here(?:'s| is| it is)|trimmed|plain|bare|same|further)\b)"
    r"[\w'\u2019-]++(?:[\s,.!;:\u2013\u2014]++[\w'\u2019-]++){0,14}[\s,.!;\u2013\u2014]*+:"
)
#: What such a line may say that it leaves out, or does nothing else.
HARMLESS_NO = caseless(
    r"\b(?:no|without|minus)(?: (?:any|the|more|all))*"
    r" (?:problem|worries|extras?|further|other|more|additional|comment(?:s|ary)?|explanations?"
    r"|notes?|remarks?|words?|text|ado|chatter|formatting|preamble|fluff)\b"
    r"|\bnothing else\b|\bmy bad\b|\bas (?:you )?(?:requested|asked|instructed|required|before)\b"
)
#: Words of a line that may limit or deny what stands below it, or say that it is another's.
LIMITS = caseless(
    r"\d|\b(?!(?:here|that|it|let|what)['\u2019])\w+['\u2019]s\b|\b(?:not|\w+n['\u2019]t|never|no|nor|neither|nothing|without|if|unless|but|except|however"
    r"|though|although|until|till|while|when|once|after|before|soon|long|provided|condition\w*"
    r"|terms?|deal|assuming|suppose|would|could|might|may|maybe|perhaps|wrong|false|incorrect"
    r"|opposite|instead|rather|reject\w*|refus\w+|declin\w+|den(?:y|ies|ied)|disagree\w*|against"
    r"|protest|jok\w+|kidding|pretend\w*|draft|examples?|bad|worse|old|former|previous|first"
    r"|earlier answer|fail\w*|broken|said|says?|told|tells?|wants?|asks|forces?|forced|made me"
    r"|he|she|they|them|his|her|their|you (?:must|have|will|pay|give)|pays?|gives?|in return"
    r"|one|two|three|four|five|six|seven|eight|nine|ten|half|rounds?|turns?|seasons?|only for"
    r"|on the|under|withdr\w+|ignor\w+|disregard\w*|another|somebody|someone|else|sarcas\w+"
    r"|fake|mock|counterfeit|hypothetical\w*)\b"
)
#: A line in which somebody thinks before it answers.
THINKS = caseless(
    rf"{_SURELY}(?:let me (?:think|see|consider|work|reason|look|analy[sz]e|weigh|figure|check|go)"
    r"|let's (?:see|think (?:this through|step by step))|thinking)(?:\s[^.:!?\n]{0,80})?[.:\u2026]*"
)

# --- What takes leave -----------------------------------------------------------------------------

_MORE = (
    r"(?:anything|something|more|(?:any |further |more |additional |other )*(?:questions?|help"
    r"|assistance|information|details|clarifications?|changes|adjustments|modifications|revisions"
    r"|context|explanations?|concerns))"
)
_DO_MORE = (
    r"(?:adjust|change|modify|revise|refine|rewrite|rephrase|reformat|shorten|expand|elaborate"
    r"|explain|clarify|continue|go into|provide more|provide further|add more|help with anything)\b"
)
_REST = r"[^.!?:\n]{0,80}"
_LET_ME_KNOW = (
    r"(?:please )?(?:let me know|feel free to (?:ask|reach out|let me know|contact me)"
    r"|don't hesitate to (?:ask|reach out))"
    r"(?:,? (?:if|should|whether)? ?(?:you(?:'d| would)? (?:\w+ )?(?:need|like|want|have|prefer"
    rf"|require)|there(?:'s| is)) (?:(?:to )?{_MORE}\b{_REST}|(?:me )?to {_DO_MORE}{_REST}))?"
)
_LEAVE = (
    r"(?:i )?hope (?:this|that|it) (?:helps?|works|is (?:helpful|useful|what you (?:needed|wanted"
    r"|were looking for))|answers your question|meets your (?:needs|requirements))"
    rf"|{_LET_ME_KNOW}"
    r"|if you(?:'d| would)? (?:like|want|wish|need|prefer)(?: to| more)?,? i(?:'ll| can| will"
    rf"|'m happy to|'m glad to|'d be happy to) (?:also )?{_DO_MORE}{_REST}"
    rf"|i(?:'m| am|'d be| would be) (?:happy|glad) to {_DO_MORE}{_REST}"
    rf"|is there anything else (?:(?:that )?i can|you(?:'d| would)? (?:need|like|want))\b{_REST}"
    rf"|(?:would you like|do you want) me to {_DO_MORE}{_REST}"
    r"|(?:does|do|how does) (?:this|that|it) (?:look|sound|work|help|seem)\b(?: (?:good|right|okay"
    r"|ok|fine|to|for|you|me))*"
    r"|what would you like (?:me )?to do(?: next)?|how can i (?:help|assist)(?: you)?(?: \w+){0,3}"
)
_LEAVE_ABROAD = (
    r"(?:ich )?hoffe,? das hilft(?: dir| ihnen)?"
    rf"|(?:lass|lassen sie) (?:es )?mich wissen\b{_REST}"
    r"|espero que (?:esto |te |le |isso |isto )*(?:ayude|ajude|sirva|seja \xfatil)"
    rf"|(?:av\xedsa|hazlo saber|hazme saber|h\xe1gamelo saber|av\xedsame)\b{_REST}"
    r"|j'esp\xe8re que (?:cela|\xe7a) (?:vous |t')?aide(?:ra)?"
    rf"|n'h\xe9site[sz]? pas\b{_REST}"
    r"|spero (?:che )?(?:questo |ti |vi )*(?:sia (?:utile|d'aiuto)|aiuti)"
    r"|\u5e0c\u671b(?:\u8fd9|\u5bf9\u4f60|\u5bf9\u60a8|\u80fd)[^\u3002\uff01:\n]{0,20}"
    r"\u5e2e\u52a9|\u304a\u5f79\u306b\u7acb\u3066\u308c\u3070\u5e78\u3044\u3067\u3059"
    r"|\u043d\u0430\u0434\u0435\u044e\u0441\u044c,? "
    r"\u044d\u0442\u043e \u043f\u043e\u043c\u043e\u0436\u0435\u0442"
)
#: Words that ask whoever asked for more, or for what to do.
ASKS_BACK = caseless(
    r"(?:(?:sorry|hello|hi|thanks|thank you)\b[\s,.!]*)?(?:but )?(?:"
    r"what would you like me to do\b.*|how (?:can|may) i (?:help|assist)\b.*"
    r"|(?:could|can|would|will) you (?:please )?(?:tell me more|give me more|provide|clarify"
    r"|specify|share more|explain)\b.*"
    r"|please (?:provide|clarify|specify|share|tell me|give me) (?:more|further|the|any|some|what"
    r"|your)\b.*|i(?:'d| would)? need (?:some )?more (?:information|details|context|input)\b.*)"
)
_ENDS = r"[\[(<](?:end|eof|done|end of (?:answer|response|message|transmission))[\])>]"
_SURE = (
    r"(?:my |overall )?(?:confidence|certainty)(?: (?:level|score))?\s*[:=]\s*(?:(?:very|quite) )?"
    r"(?:\d+(?:\.\d+)?\s*(?:%|percent|/ ?10{1,2})?|high|medium|moderate|low)[\s.]*"
)
_IN_FORM = (
    r"(?:this|the above) (?:answer|response|reply|output) (?:follows|keeps to|uses|is in|respects"
    r"|adheres to|meets) (?:the|your) (?:\w+ )?(?:format|forms?|instructions|requirements)"
)
#: A line at the end that only takes leave of whoever asked, or says how sure the model is.
LEAVES = caseless(
    rf"\xa1?(?:{_YES}{_STOPS}+)?(?:{_LEAVE}|{_LEAVE_ABROAD}|{_IN_FORM})"
    rf"(?:[\s.!?\u3002\uff01]+{_LET_ME_KNOW})?[\s.!?\u3002\uff01)*]*|{_ENDS}|{_SURE}"
)
