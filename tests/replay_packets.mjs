/**
 * Reads the packets of a ReplayMod replay (`recording.tmcpr`) with unmodified minecraft-protocol:
 * one line of JSON per packet, with its time, name and, except for large ones, fields.
 *
 * node tests/replay_packets.mjs recording.tmcpr
 */
import { readFileSync } from 'node:fs'
import minecraft from 'minecraft-protocol'

const LARGE = ['registry_data', 'tags', 'map_chunk', 'update_light']
const NEXT = { success: 'configuration', finish_configuration: 'play' }

const bytes = readFileSync(process.argv[2])
let state = 'login'
let reader = readerOf(state)
for (let at = 0; at < bytes.length;) {
  const [ms, length] = [bytes.readInt32BE(at), bytes.readInt32BE(at + 4)]
  const packet = Buffer.from(bytes.subarray(at + 8, at + 8 + length))
  at += 8 + length
  const { data, metadata } = reader.parsePacketBuffer(packet)
  const isWhole = metadata.size === length
  const fields = LARGE.includes(data.name) ? null : data.params
  const big = (_, value) => (typeof value === 'bigint' ? String(value) : value)
  console.log(JSON.stringify({ ms, state, name: data.name, isWhole, fields }, big))
  if (NEXT[data.name]) reader = readerOf((state = NEXT[data.name]))
}

function readerOf(state) {
  const told = { state, version: '1.20.4', isServer: false, customPackets: {} }
  return minecraft.createDeserializer(told)
}
