import { component } from '../plugins/chat.js'

/** @type {import('./index.js').Command} */
export const command = {
  names: ['tell', 'msg', 'w'],
  usage: 'tell <targets> <message>',
  run: ({ serv, source, args }) => {
    const players = args.players()
    const text = args.rest()
    serv.broadcast(`${source.name} whispers to you: ${text}`, { to: players })
    return players.map((player) => `You whisper to ${player.username}: ${text}`).join('\n')
  }
}

/** @type {import('./index.js').Command} */
export const tellraw = {
  names: ['tellraw'],
  usage: 'tellraw <targets> <JSON text>',
  run: ({ serv, args }) => {
    const players = args.players()
    serv.broadcast(plainText(args), { to: players })
    return ''
  }
}

const TITLE_PACKETS = { title: 'set_title_text', subtitle: 'set_title_subtitle', actionbar: '' }

/** @type {import('./index.js').Command} */
export const title = {
  names: ['title'],
  usage: 'title <targets> title|subtitle|actionbar <JSON text> | title <targets> clear|reset',
  run: ({ serv, args }) => {
    const players = args.players()
    const what = args.oneOf([...Object.keys(TITLE_PACKETS), 'clear', 'reset'])
    const who = players.length === 1 ? players[0].username : `${players.length} players`
    if (what === 'clear' || what === 'reset') {
      args.end()
      serv.send(players, 'clear_titles', { reset: what === 'reset' })
      return what === 'clear' ? `Cleared titles for ${who}` : `Reset title options for ${who}`
    }
    const text = plainText(args)
    const packet = TITLE_PACKETS[/** @type {keyof typeof TITLE_PACKETS} */ (what)]
    if (packet) serv.send(players, packet, { text: component(text) })
    else serv.broadcast(text, { to: players, actionBar: true })
    return `Showing new ${what} for ${who}`
  }
}

/**
 * A part of a JSON text.
 * @typedef {string | number | boolean | null | TextPart[] | {text?: string, extra?: TextPart[]}} TextPart
 */

/** The words of a JSON text: colours and the like are left out. @param {import('./reader.js').Reader} args */
function plainText(args) {
  const source = args.rest()
  /** @type {(part: TextPart) => string} */
  const flat = (part) => {
    if (typeof part !== 'object' || part === null) return String(part)
    if (Array.isArray(part)) return part.map(flat).join('')
    return `${part.text ?? ''}${(part.extra ?? []).map(flat).join('')}`
  }
  try {
    return flat(JSON.parse(source))
  } catch {
    throw args.error('Invalid chat component')
  }
}
