import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { connectToNode } from '../../src/drivers/line-node/connection.ts'
import { socketFileIn } from '../../src/drivers/line-node/process.ts'
import { openLocal } from '../../src/drivers/line-node/target.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { framedMessages } from '../../src/lib/framed-messages.ts'
import {
  type EngineMessage,
  type LineNodeMessage,
  oldestProtocol,
  protocolVersion,
} from '../../src/line-node/protocol.ts'
import { type TestApp, testApp } from '../kit/app.ts'
import { temporaryFolder } from '../kit/databases.ts'
import { openBusyOffice } from '../kit/voice.ts'

// Line nodes and engine processes of different releases agree on a protocol, or say why they cannot.

test('an engine process that is too old is refused, and the log says why', async () => {
  const { app } = await openBusyOffice(testApp)

  const answer = await hello(app, { protocol: oldestProtocol - 1, release: '0.0.1' })

  expect(answer).toEqual({ kind: 'refused', reason: expect.stringContaining(`older than ${oldestProtocol}`) })
  await expect
    .poll(() => app.logged())
    .toMatch(/"event":"line_node.engine_refused","session":"other","release":"0.0.1"/)
})

test('a node and an engine process of a newer release agree on the protocol of the node', async () => {
  const { app } = await openBusyOffice(testApp)

  const answer = await hello(app, { protocol: protocolVersion + 1, release: '9.0.0' })

  expect(answer).toMatchObject({ kind: 'welcome', protocol: protocolVersion })
})

test('an engine process does not use a node that is too old', async () => {
  const socketFile = path.join(await temporaryFolder(), 'node.sock')
  const load = { legs: 0 }
  const welcome = { kind: 'welcome', protocol: oldestProtocol - 1, node: 'old', release: '0.0.1', legs: 0, load }
  const node = createServer((socket) => void channelOf(socket).send(welcome))
  node.listen(socketFile)
  onTestFinished(() => void node.close())
  await once(node, 'listening')

  const connecting = connectToNode({
    open: openLocal(socketFile),
    session: 'new',
    isDraining: () => false,
    clock: systemClock(),
    onMessage() {},
    onRequest: () => Promise.reject(new Error('no question is expected')),
    onEnd() {},
  })

  await expect(connecting).rejects.toMatchObject({
    name: 'LineNodeRefused',
    message: expect.stringContaining('release 0.0.1 speaks protocol'),
  })
})

/** The first message of the line node to another engine process. */
function hello({ dataDir }: TestApp, about: { protocol: number; release: string }): Promise<LineNodeMessage> {
  const socket = connect(socketFileIn(dataDir, 1))
  onTestFinished(() => void socket.destroy())
  return new Promise((resolve, reject) => {
    const channel = framedMessages<LineNodeMessage, EngineMessage>(socket, { onMessage: resolve, onEnd: reject })
    channel.send({ kind: 'hello', session: 'other', isObserver: true, ...about })
  })
}

const channelOf = (socket: Socket) => framedMessages<EngineMessage, object>(socket, { onMessage() {}, onEnd() {} })
