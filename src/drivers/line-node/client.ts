import type { TrunkLine } from '../../domain/trunk-line.ts'
import type { SipDevice } from '../../domain/voice.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { Adopted, Adoption, LineNodeSettings, NodeLoad, PortState } from '../../line-node/protocol.ts'
import type { NodeConnection, NodeQuestion } from './connection.ts'
import { createNodeInventory, type NodeInventory } from './inventory.ts'
import { createNodeLink, type NodeLink } from './link.ts'
import { createLostSessions } from './lost-sessions.ts'
import { createRecordingTransfer, remoteSounds } from './remote-files.ts'
import type { NodeTarget } from './target.ts'

/** What this process does on a line node. */
export interface NodeClient {
  /** Connects if the node is running. */
  attach(): Promise<boolean>
  request(method: string, params: unknown[]): Promise<unknown>
  acknowledge(seq: number): void
  setTrunks(lines: readonly TrunkLine[]): void
  setDevices(devices: readonly SipDevice[]): void
  /** Resolves when the trunks were applied, or could not be. */
  trunksApplied(): Promise<void>
  adopt(what: Adoption): Promise<Adopted | undefined>
  portProblem(): PortState | undefined
  inventory: NodeInventory
  /** Other engine processes that have disconnected, and own legs. */
  lostSessions(): readonly string[]
  onSessionLost(listener: () => void): void
  forgetSession(session: string): Promise<void>
  /** Connected, or disconnected for a moment. */
  isPresent(): boolean
  /** As the node reported it last; undefined without a connection. */
  load(): (NodeLoad & { release: string }) | undefined
  /** The node is gone for good: what was on it has ended. */
  lose(): void
  /** Active legs stay on the node; resolves when it has noticed, or after a few seconds. */
  leave(): Promise<void>
}

export interface NodeClientOptions {
  clock: Clock
  log: Log
  target: NodeTarget
  session: string
  /** New calls are for other engine processes. */
  isDraining(): boolean
  settings: LineNodeSettings
  routeCall(candidates: readonly { trunkId: string; to: string }[]): Promise<string | undefined>
  soundOf(media: string): Promise<string | undefined>
  recordingsFolder: string
  /** What is on the disk of a recording whose node is gone. */
  salvage(recId: string): Promise<{ file: string; seconds: number } | undefined>
}

export function createNodeClient(options: NodeClientOptions): NodeClient {
  const { log, session, target } = options
  const readRecording = (...params: unknown[]) => request('readRecording', params)
  const transfer = target.isRemote ? createRecordingTransfer(options.recordingsFolder, readRecording) : undefined
  const inventory = createNodeInventory({ ...options, fetchRecording: transfer?.copyHere })
  const lost = createLostSessions(session)
  let trunks: readonly TrunkLine[] = []
  let devices: readonly SipDevice[] = []
  let applied: Promise<void> = Promise.resolve()
  let ports: PortState | null = null
  const link: NodeLink = createNodeLink({
    ...options,
    settings: JSON.stringify(options.settings),
    onRequest: questionsTo(options),
    onMessage(message) {
      if (message.kind === 'ports') ports = message.problem
      else if (message.kind === 'sessionGone') lost.add(message.session)
      else if (message.kind === 'load') link.onLoad(message.load)
      else inventory.onMessage(message)
    },
    onNewNode: inventory.startOver,
    async onConnected(made, isSame) {
      for (const gone of made.welcome.lost) lost.add(gone)
      if (isSame) await continueOn(made)
      if (trunks.length > 0) await made.request('setTrunks', [trunks])
      if (devices.length > 0) await made.request('setDevices', [devices])
    },
    onLost: lose,
    isNeeded: () => trunks.length + devices.length > 0,
  })

  function lose(): void {
    inventory.report({ kind: 'node.gone', legs: inventory.legs().length })
    inventory.loseAll()
    const down = { kind: 'trunk.state', up: false, detail: 'line node is gone' } as const
    for (const { id } of trunks) inventory.report({ ...down, trunkId: id })
  }

  /** What happened while the connection was lost follows. */
  async function continueOn(made: NodeConnection): Promise<void> {
    const before = { legs: inventory.legs(), recordings: inventory.recordings() }
    const { legs } = (await made.request('adopt', [before])) as Adopted
    const gone = before.legs.filter((leg) => !legs.includes(leg))
    for (const leg of gone) inventory.report({ kind: 'leg.ended', leg, reason: 'lost' })
  }

  function apply(method: 'setTrunks' | 'setDevices', wanted: readonly unknown[]): Promise<void> {
    if (wanted.length === 0 && !link.current()) return Promise.resolve()
    return request(method, [wanted]).then(() => {}, link.failed)
  }

  function discard(recId: string): void {
    link
      .current()
      ?.request('discardRecording', [recId])
      .catch((error) => log.warn({ event: 'recording.not_discarded', error, recId }, 'the copy on the node is kept'))
  }

  async function request(method: string, params: unknown[]): Promise<unknown> {
    return (await link.ensure()).request(method, params)
  }

  return {
    inventory,
    attach: link.attach,
    request,
    acknowledge(seq) {
      if (seq <= 0) return
      link.current()?.acknowledge(seq)
      const stored = inventory.takeTransferred(seq)
      if (stored !== undefined) discard(stored)
    },
    setTrunks(lines) {
      trunks = lines
      applied = apply('setTrunks', lines)
    },
    trunksApplied: () => applied,
    setDevices(wanted) {
      devices = wanted
      void apply('setDevices', wanted)
    },
    async adopt(what) {
      const connection = link.current()
      if (!connection) return undefined
      const adopted = (await connection.request('adopt', [what])) as Adopted
      inventory.add(adopted)
      return adopted
    },
    portProblem: () => ports ?? undefined,
    lostSessions: lost.all,
    onSessionLost: lost.on,
    async forgetSession(gone) {
      lost.delete(gone)
      await link.current()?.request('forgetSession', [gone])
    },
    isPresent: link.isPresent,
    load() {
      const release = link.current()?.welcome.release
      return release === undefined ? undefined : { legs: 0, maxLegs: 0, isDraining: false, ...link.load(), release }
    },
    lose,
    leave: link.leave,
  }
}

/** Answers the questions of the node. */
function questionsTo({ target, routeCall, soundOf }: NodeClientOptions) {
  const sounds = remoteSounds(soundOf)
  return async (question: NodeQuestion): Promise<unknown> => {
    switch (question.method) {
      case 'routeCall':
        return routeCall(question.params[0])
      case 'soundOf':
        return target.isRemote ? sounds.describe(question.params[0]) : soundOf(question.params[0])
      case 'readSound':
        return sounds.read(...question.params)
    }
  }
}
