import { nameOfPlayer, oneOrMany, packed, translated } from '../../minecraft/texts.js'
import { Reply, told } from '../replies.js'

const WHISPER = { italic: true, color: 'gray' }

/** @type {import('../index.js').Command} */
export const command = {
  names: ['tell', 'msg', 'w'],
  isForAll: true,
  run: ({ source, args }) => {
    const players = args.players()
    const text = args.rest()
    args.end()
    return players.map((player) => {
      const incoming = translated('commands.message.display.incoming', source.title, text)
      player.system({ ...incoming, ...WHISPER })
      const reply = told('commands.message.display.outgoing', nameOfPlayer(player), text)
      Object.assign(reply.text, WHISPER)
      return reply
    })
  }
}

/** @type {import('../index.js').Command} */
export const tellraw = {
  names: ['tellraw'],
  run: ({ serv, args }) => {
    const players = args.players()
    const text = args.component()
    args.end()
    serv.broadcast(text, { to: players })
    return null
  }
}

const PACKETS = { title: 'set_title_text', subtitle: 'set_title_subtitle', actionbar: 'action_bar' }
const SHOWN = /** @type {(keyof typeof PACKETS)[]} */ (Object.keys(PACKETS))

/** @type {import('../index.js').Command} */
export const title = {
  names: ['title'],
  run: ({ serv, args }) => {
    const players = args.players()
    const what = args.oneOf([...SHOWN, 'clear', 'reset', 'times'])
    const answer = (/** @type {string} */ key) =>
      new Reply(oneOrMany(`commands.title.${key}`, players)).worth(players.length)
    if (what === 'clear' || what === 'reset') {
      args.end()
      serv.send(players, 'clear_titles', { reset: what === 'reset' })
      return answer(what === 'clear' ? 'cleared' : 'reset')
    }
    if (what === 'times') {
      const [fadeIn, stay, fadeOut] = [args.ticks(), args.ticks(), args.ticks()]
      args.end()
      serv.send(players, 'set_title_time', { fadeIn, stay, fadeOut })
      return answer('times')
    }
    const text = args.component()
    args.end()
    serv.send(players, PACKETS[what], { text: packed(text) })
    return answer(`show.${what}`)
  }
}

/** @type {import('../index.js').Command} */
export const say = {
  names: ['say'],
  run: ({ serv, source, args }) => {
    serv.broadcast(translated('chat.type.announcement', source.title, args.rest()))
    return null
  }
}

/** @type {import('../index.js').Command} */
export const me = {
  names: ['me'],
  isForAll: true,
  run: ({ serv, source, args }) => {
    serv.broadcast(translated('chat.type.emote', source.title, args.rest()))
    return null
  }
}
