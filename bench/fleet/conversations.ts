import { WebSocket } from 'ws'
import type { LoadGenerator } from '../voice/load-generator.ts'
import type { FleetCarrier } from './carrier.ts'
import { query } from './database-writes.ts'
import type { Installation } from './installation.ts'

// Calls between a trunk and the phone app of an agent, with audio in both directions and recorded. Agent and Number n have
// call n.

export interface Conversations {
  /** Sets call n up, on the line node with that SIP port; resolves when audio of both arrives. */
  begin(n: number, sipPort: number): Promise<void>
  /** The carrier hangs up. */
  endAll(): Promise<void>
  close(): void
}

interface Phone {
  first(type: string): Promise<Record<string, unknown>>
  send(message: object): void
  close(): void
}

export interface ConversationsOptions {
  installation: Installation
  databaseUrl: string
  carrier: FleetCarrier
  load: LoadGenerator
  count: number
}

export async function openConversations(options: ConversationsOptions): Promise<Conversations> {
  const { installation, databaseUrl, carrier, load, count } = options
  const agents = await agentsOf(installation, databaseUrl, count)
  const phones = await Promise.all(agents.map(({ userId }) => openPhone(installation, userId)))
  const hangUps: (() => Promise<void>)[] = []

  return {
    async begin(n, sipPort) {
      const [agent, phone] = [agents[n], phones[n]]
      if (!agent || !phone) throw new Error(`there is no agent ${n}`)
      const { offer, farPort } = await load.ask('invite', { call: n, address: '127.0.0.1' })
      const call = carrier.call(sipPort, agent.digits, farPort)
      hangUps.push(call.hangUp)
      await Promise.race([phone.first('ring'), call.answered])
      phone.send({ type: 'answer', sdp_offer: offer })
      const { sdp_answer: answer } = await phone.first('sdp_answer')
      await load.ask('talk', { call: n, answer: String(answer), port: await call.answered })
    },
    async endAll() {
      await Promise.all(hangUps.splice(0).map((hangUp) => hangUp()))
      await load.ask('leave', {})
    },
    close() {
      for (const phone of phones) phone.close()
    },
  }
}

async function agentsOf({ api, own, number }: Installation, databaseUrl: string, count: number) {
  const agents: { userId: number; digits: string }[] = []
  for (let n = 0; n < count; n++) {
    const email = `agent${n}@bench.test`
    const made = await api('POST', '/v2/users', { email, first_name: 'Agent', last_name: String(n) })
    if (made.status !== 201) throw new Error(`no user: ${made.text}`)
    const userId: number = made.json.user.id
    const { id, digits } = await number(ringing(userId))
    await own('PUT', `/v1/numbers/${id}/users`, { user_ids: [userId] })
    await api('PUT', `/v1/numbers/${id}`, { live_recording_activated: true })
    agents.push({ userId, digits })
  }
  await query(databaseUrl, `update "user" set confirmed_at = 1 where email like 'agent%@bench.test'`)
  return agents
}

const ringing = (userId: number) => ({
  start: 'ring',
  nodes: {
    ring: {
      type: 'ring_to',
      targets: [{ type: 'user', id: userId }],
      strategy: 'simultaneous',
      max_wait_seconds: 60,
      branches: { no_answer: 'end' },
    },
    end: { type: 'hang_up', media: null },
  },
})

/** Its first message of each type. */
function openPhone({ server, authorization }: Installation, userId: number): Promise<Phone> {
  const address = `${server().url.replace('http', 'ws')}/live?user_id=${userId}`
  const socket = new WebSocket(address, { headers: { authorization } })
  const waiting = new Map<string, PromiseWithResolvers>()
  const of = (type: string) => {
    const known = waiting.get(type) ?? withResolvers()
    waiting.set(type, known)
    return known
  }
  let asked = 0
  socket.on('message', (data) => {
    const message = JSON.parse(data.toString())
    of(message.type).resolve(message)
    if (message.type === 'reply' && !message.ok) of('sdp_answer').reject(new Error(`not answered: ${data}`))
  })
  const phone: Phone = {
    first: (type) => of(type).promise,
    send: (message) => socket.send(JSON.stringify({ id: ++asked, ...message })),
    close: () => socket.terminate(),
  }
  return new Promise((resolve, reject) => {
    socket.on('error', reject)
    void phone.first('hello').then(() => resolve(phone))
  })
}

interface PromiseWithResolvers {
  promise: Promise<Record<string, unknown>>
  resolve(message: Record<string, unknown>): void
  reject(error: Error): void
}

function withResolvers(): PromiseWithResolvers {
  let [resolve, reject]: [PromiseWithResolvers['resolve'], PromiseWithResolvers['reject']] = [() => {}, () => {}]
  const promise = new Promise<Record<string, unknown>>((done, failed) => {
    resolve = done
    reject = failed
  })
  promise.catch(() => {})
  return { promise, resolve, reject }
}
