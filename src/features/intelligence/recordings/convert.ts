import { readFile, stat } from 'node:fs/promises'
import { type Tx, transaction } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import type { JobPayloads } from '../../../jobs/payloads.ts'
import { isWaiting } from '../../../jobs/queue.ts'
import { mp3OfRawFile } from '../../../media/raw-to-mp3.ts'
import { mp3OfScriptedRecording, parseScriptedRecording } from '../../../media/scripted-recording.ts'
import type { Services } from '../../../services.ts'
import { attachAudio, findRecordedCall } from '../../calls/index.ts'
import { voiceLines } from '../../trunks/index.ts'
import { absent, deleteSource, isRaw, readSidecarOf } from '../results/raw-audio.ts'
import { scheduleSpeechToText, speechToTextKey, storeScriptedLines } from '../results/speech-jobs.ts'
import { synthesizeSimulatedCall } from './synthesize-simulated-call.ts'

/** Publishes that the recording is available, in the transaction that links it to the call. */
export type AssetReady = (services: Services, tx: Tx, companyId: CompanyId, callId: number) => Promise<void>

/**
 * Job: converts the audio of the voice driver to mp3. The source is deleted last, so that an interrupted run is repeated; it
 * is kept while speech-to-text still needs it.
 */
export function recordingConverter(services: Services, assetReady: AssetReady) {
  const { db, log, files, vault } = services
  return async ({ companyId, callId, kind, source, ms }: JobPayloads['recording.convert']): Promise<void> => {
    if (ms === 0) return deleteSource(source)
    const audioOfCall = async () => (await findRecordedCall(db, companyId, callId, 0))?.audio[kind]
    const isThere = await stat(source).catch(absent)
    const before = await audioOfCall()
    if (!isThere) {
      if (before === null)
        log.warn({ event: 'recording.source_missing', callId, kind }, 'a recording is lost: its source file is missing')
      return
    }
    // The same name in every run: a repeated run overwrites the file.
    const name = vault.derive(`sound ${source}`).toString('hex', 0, 16)
    const file = `recordings/${companyId}/${callId}-${name}.mp3`
    if (before === null) {
      const script = isRaw(source) ? undefined : parseScriptedRecording(await readFile(source, 'utf8'))
      // Simulated calls have speech only if a text-to-speech engine spoke their script.
      const raw = script ? await synthesizeSimulatedCall(services, companyId, callId, source, script) : source
      await files.put(
        file,
        script && raw === undefined ? await mp3OfScriptedRecording(script) : await mp3OfRaw(raw ?? source),
      )
      const engine = raw === undefined ? undefined : await services.ai.stt(companyId)
      const ours = raw === undefined ? [] : voiceLines(await readSidecarOf(raw))
      await transaction(db, async (tx) => {
        if (!(await attachAudio(tx, companyId, callId, { kind, file, ms }))) return
        const input = { companyId, callId, kind, source: raw ?? source }
        const isTranscribed = await scheduleSpeechToText(services, tx, engine, input)
        await storeScriptedLines(
          services,
          tx,
          companyId,
          callId,
          kind,
          script && !isTranscribed ? (script.lines ?? []) : ours,
        )
        await assetReady(services, tx, companyId, callId)
      })
      if ((await audioOfCall())?.file !== file) await files.remove(file)
    }
    const spoken = source.replace(/\.score$/, '.ulaw')
    if (!(await isWaiting(db, speechToTextKey(callId, kind)))) await deleteSource(spoken)
    if (spoken !== source) await deleteSource(source)
  }
}

const mp3OfRaw = async (source: string) => mp3OfRawFile(source, (await readSidecarOf(source)).channels)
