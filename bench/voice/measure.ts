import { say } from '../kit.ts'
import { cpuSeconds } from '../servers.ts'
import type { Carrier } from './carrier.ts'
import type { Crowd } from './crowd.ts'

export const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
export const percent = (share: number) => `${(share * 100).toFixed(2)} %`

/** Until the buffers are filled and what is compiled while it runs has been compiled. */
const settleMs = 4_000
const measureMs = 6_000

interface Measured {
  /** Of one core, per call. */
  share: number
  /** From the offer of each browser until sound can flow, in milliseconds. */
  setUps: number[]
}

/** One call between two talkers; resolves with how long it took until sound could flow. */
export async function begin(crowd: Crowd, carrier: Carrier, call: number): Promise<number> {
  const { offer, farPort } = await crowd.ask('invite', { call, address: carrier.address })
  const from = performance.now()
  const { answer, port } = await carrier.connect(call, offer, farPort)
  await crowd.ask('talk', { call, answer, port })
  return performance.now() - from
}

/** Called at the two ends of the time that is measured. */
export interface Watch {
  from?(): Promise<void>
  until?(): Promise<void>
}

/** So many calls through a carrier at once; they go on when this is done. */
export async function measure(
  name: string,
  carrier: Carrier,
  crowd: Crowd,
  calls: number,
  watch: Watch,
): Promise<Measured> {
  const setUps: number[] = []
  for (let call = 0; call < calls; call++) setUps.push(await begin(crowd, carrier, call))
  await pause(settleMs)
  await watch.from?.()
  await crowd.ask('heard', {})
  const [before, from] = [await cpuSeconds(carrier), performance.now()]
  await pause(measureMs)
  const [after, seconds] = [await cpuSeconds(carrier), (performance.now() - from) / 1_000]
  await watch.until?.()
  const { packets, deaf, lateMs } = await crowd.ask('heard', {})
  if (deaf > 0) throw new Error(`${name}: ${deaf} of ${2 * calls} who talk have heard nothing`)
  const share = (after - before) / seconds / calls
  const flow = `${(packets / 2 / calls / seconds).toFixed(1)} packets/s to each`
  say(`${calls} calls, ${name}: ${percent(share)}, ${flow}, talkers at most ${lateMs.toFixed(0)} ms late`)
  return { share, setUps }
}
