import { print } from '../kit.ts'
import { cpuSeconds } from '../servers.ts'
import type { Carrier } from './carrier.ts'
import type { LoadGenerator } from './load-generator.ts'

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
export async function begin(load: LoadGenerator, carrier: Carrier, call: number): Promise<number> {
  const { offer, farPort } = await load.ask('invite', { call, address: carrier.address })
  const from = performance.now()
  const { answer, port } = await carrier.connect(call, offer, farPort)
  await load.ask('talk', { call, answer, port })
  return performance.now() - from
}

/** Called at the two ends of the time that is measured. */
export interface Watch {
  from?(): Promise<void>
  until?(): Promise<void>
}

/** So many concurrent calls through a carrier; they continue afterwards. */
export async function measure(
  name: string,
  carrier: Carrier,
  load: LoadGenerator,
  calls: number,
  watch: Watch,
): Promise<Measured> {
  const setUps: number[] = []
  for (let call = 0; call < calls; call++) setUps.push(await begin(load, carrier, call))
  await pause(settleMs)
  await watch.from?.()
  await load.ask('received', {})
  const [before, from] = [await cpuSeconds(carrier), performance.now()]
  await pause(measureMs)
  const [after, seconds] = [await cpuSeconds(carrier), (performance.now() - from) / 1_000]
  await watch.until?.()
  const { packets, withoutAudio, lateMs } = await load.ask('received', {})
  if (withoutAudio > 0) throw new Error(`${name}: ${withoutAudio} of ${2 * calls} talkers received no audio`)
  const share = (after - before) / seconds / calls
  const flow = `${(packets / 2 / calls / seconds).toFixed(1)} packets/s to each`
  print(`${calls} calls, ${name}: ${percent(share)}, ${flow}, talkers at most ${lateMs.toFixed(0)} ms late`)
  return { share, setUps }
}
