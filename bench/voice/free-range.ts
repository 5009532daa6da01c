import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'

const probes = 20

/** Ports of UDP side by side of which those that were tried are free, below the ones that the system hands out. */
export async function freeRange(count: number): Promise<[first: number, last: number]> {
  for (;;) {
    const first = 2 * randomInt(5_500, (32_000 - count) / 2)
    const tried = Array.from({ length: probes }, (_, probe) => first + Math.floor((probe * count) / probes))
    const free = await Promise.all(tried.map(isFree))
    if (free.every((each) => each)) return [first, first + count - 1]
  }
}

function isFree(port: number): Promise<boolean> {
  const socket = createSocket('udp4')
  return new Promise((resolve) => {
    socket.once('error', () => resolve(false))
    socket.bind(port, '127.0.0.1', () => socket.close(() => resolve(true)))
  })
}
