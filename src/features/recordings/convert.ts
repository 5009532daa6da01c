import { readFile, rm, stat } from 'node:fs/promises'
import { type Tx, transaction } from '../../db/database.ts'
import type { CompanyId } from '../../db/tables.ts'
import type { JobPayloads } from '../../jobs/queue.ts'
import { readSidecar } from '../../media/raw-recording.ts'
import { mp3OfRawFile } from '../../media/raw-to-mp3.ts'
import { mp3OfScore, readScore } from '../../media/score.ts'
import type { Services } from '../../services.ts'
import { keepHeard } from '../heard.ts'
import { voiceLines } from '../voice-lines.ts'
import { speakAloud } from './aloud.ts'
import { findSoundingCall, setSound } from './store.ts'

/** Tells the world that the call has its sound; in the transaction that gives it to the call. */
export type AssetReady = (services: Services, tx: Tx, companyId: CompanyId, callId: number) => Promise<void>

/** Makes the mp3 of what the voice driver wrote. The source goes last, so a run that was cut short is made up for. */
export function recordingConverter(services: Services, assetReady: AssetReady) {
  const { db, log, files, vault } = services
  return async ({ companyId, callId, kind, source, ms }: JobPayloads['recording.convert']): Promise<void> => {
    if (ms === 0) return forget(source)
    const soundOfCall = async () => (await findSoundingCall(db, companyId, callId, 0))?.sounds[kind]
    const isThere = await stat(source).catch(absent)
    const before = await soundOfCall()
    if (!isThere) {
      if (before === null) log.warn({ callId, kind }, 'the sound of a call is lost: its source is gone')
      return
    }
    // The same name in every run: a second one writes over the first, and nothing is left behind.
    const name = vault.derive(`sound ${source}`).toString('hex', 0, 16)
    const file = `recordings/${companyId}/${callId}-${name}.mp3`
    if (before === null) {
      const score = source.endsWith('.ulaw') ? undefined : readScore(await readFile(source, 'utf8'))
      const aloud = score && (await speakAloud(services, companyId, callId, source, score))
      const raw = score ? aloud : source
      await files.put(file, raw === undefined && score ? await mp3OfScore(score) : await mp3OfRaw(raw ?? source))
      const known = score ? (score.lines ?? []) : voiceLines(await readSidecarOf(source))
      await transaction(db, async (tx) => {
        if (!(await setSound(tx, companyId, callId, { kind, file, ms }))) return
        await keepHeard(tx, companyId, callId, kind, known)
        await assetReady(services, tx, companyId, callId)
      })
      if ((await soundOfCall())?.file !== file) await files.remove(file)
    }
    await forget(source)
    await forget(source.replace(/\.score$/, '.ulaw'))
  }
}

/** Of what real people said; synthetic ones leave a score. */
async function mp3OfRaw(source: string): Promise<Buffer> {
  const { channels } = await readSidecarOf(source)
  return mp3OfRawFile(source, channels)
}

const readSidecarOf = async (source: string) => readSidecar(await readFile(sidecarOf(source), 'utf8'))

const sidecarOf = (source: string) => source.replace(/\.ulaw$/, '.json')

async function forget(source: string): Promise<void> {
  await rm(source, { force: true })
  if (source.endsWith('.ulaw')) await rm(sidecarOf(source), { force: true })
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
