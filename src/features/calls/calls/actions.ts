import { transaction } from '../../../db/database.ts'
import type { CallCommand } from '../../../domain/call/commands.ts'
import { statusOf } from '../../../domain/call/record.ts'
import { ApiError, badRequest } from '../../../http/errors.ts'
import type { RequestClaim, Services } from '../../../services.ts'
import { numbersById } from '../../accounts/index.ts'
import { forgetShortUrls } from '../recordings/store.ts'
import { command, refusal } from './change.ts'
import { deleteGeneratedInsights } from './results-store.ts'
import { type Call, type CallAudioKind, lockCall, updateCall } from './store.ts'

/** The file is deleted first, so that it cannot be played again even if the transaction fails. */
export async function deleteSound({ db, files }: Services, call: Call, sound: CallAudioKind): Promise<void> {
  const { companyId, id } = call
  const file = call[sound]
  if (file === null) return
  await files.remove(file)
  await transaction(db, async (tx) => {
    await lockCall(tx, companyId, id)
    const gone =
      sound === 'recording' ? { recording: null, recording_ms: null } : { voicemail: null, voicemail_ms: null }
    await updateCall(tx, companyId, id, gone)
    await forgetShortUrls(tx, companyId, id, sound)
    await deleteGeneratedInsights(tx, companyId, id, sound)
  })
}

export async function transferCall(
  services: Services,
  call: Call,
  to: Omit<Transfer, 'kind' | 'by'>,
  claim?: RequestClaim,
): Promise<void> {
  if (statusOf(call) === 'done') throw badRequest('The call has already ended')
  await command(services, call.uuid, { kind: 'transfer', by: null, ...to }, claim)
}
type Transfer = Extract<CallCommand, { kind: 'transfer' }>

export async function controlRecording(
  services: Services,
  call: Call,
  kind: 'pause_recording' | 'resume_recording',
  claim?: RequestClaim,
) {
  if (statusOf(call) === 'done') throw badRequest('The call has already ended')
  if (statusOf(call) === 'initial') throw badRequest('The call has not been answered yet')
  const [number] = await numbersById(services.db, call.companyId, [call.numberId])
  if (!number?.recording) {
    throw new ApiError(405, 'Live recording is disabled on the Number of the call', { allow: 'POST' })
  }
  await command(services, call.uuid, { kind, by: null }, claim)
}

/** Kept while the call is active; cards of an ended call are not shown. */
export async function showCard(
  { calls }: Services,
  call: Call,
  contents: unknown[],
  claim?: RequestClaim,
): Promise<void> {
  const reply = await calls.send(call.uuid, { kind: 'show_card', contents }, claim)
  if (!reply.ok && reply.refused === 'unavailable') throw refusal(reply)
}
