import { translated } from '../../minecraft/texts.js'

/** @type {import('../index.js').Command} */
export const command = {
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
