import { tagOf } from './address.ts'
import { attempted } from './attempt.ts'
import { cancelOf, makeResponse } from './build.ts'
import { ackIn, type Dialog, dialogOfResponse, requestIn } from './dialog.ts'
import { peersOf, type SipEndpoint } from './endpoint.ts'
import type { Peer, SipFlow } from './flow.ts'
import { type Header, header, type SipResponse, writeMessage } from './message.ts'
import { inviteOf, readSaved } from './saved-dialog.ts'
import { T1 } from './transaction.ts'

/** Tears down dialogs without a call in this process: saved ones of an earlier process, and stray 2xx responses. */
export interface DialogTeardown {
  endDialog(text: string): Promise<void>
  stray(response: SipResponse, flow: SipFlow, trunkId: string): void
}

const maxRemembered = 1_000

export function createDialogTeardown(
  endpoint: SipEndpoint,
  send: (bytes: Buffer, to: SipFlow) => Promise<void>,
): DialogTeardown {
  const { transactions, clock, log } = endpoint
  const acknowledged = new Set<string>()

  async function bye(dialog: Dialog, flow: SipFlow) {
    let current = dialog
    await attempted(endpoint, {
      trunk: endpoint.trunk(dialog.trunkId),
      peers: () => peersOf(endpoint, dialog, flow),
      build() {
        const next = requestIn(current, 'BYE')
        current = next.dialog
        return next.request
      },
    })
  }

  /** The INVITE may still be answered with 487 or 200; both are handled. */
  function cancel(uri: string, headers: Header[], peer: Peer, trunkId: string): Promise<void> {
    const invite = inviteOf(uri, headers)
    return new Promise((resolve) => {
      const stopWaiting = clock.machineAfter(64 * T1, done)
      function done() {
        stopWaiting()
        transactions.forget(invite)
        resolve()
      }
      const onInvite = {
        response(response: SipResponse) {
          if (response.status < 200) return
          if (response.status < 300) stray(response, peer, trunkId)
          stopWaiting()
          resolve()
        },
        failed: done,
      }
      transactions.requestAs(invite, peer, onInvite, 'listen')
      const onCancel = {
        response: (response: SipResponse) => response.status >= 300 && done(),
        failed: done,
      }
      transactions.requestAs(cancelOf(invite), peer, onCancel, 'send')
    })
  }

  async function refuse(headers: Header[], peer: Peer) {
    const response = makeResponse(inviteOf('', headers), 480, undefined)
    // A TCP connection is gone with its process; the caller's transaction then times out.
    await send(writeMessage(response), peer).catch(() => {})
  }

  function stray(response: SipResponse, flow: SipFlow, trunkId: string) {
    const dialog = dialogOfResponse(trunkId, response)
    if (!dialog) return
    const key = `${dialog.callId}|${tagOf(header(response, 'to'))}`
    const isNew = !acknowledged.has(key)
    if (acknowledged.size > maxRemembered) acknowledged.clear()
    acknowledged.add(key)
    endStray(dialog, flow, isNew).catch((error) =>
      log.warn({ event: 'sip.stray_failed', error }, 'stray 2xx could not be torn down'),
    )
  }

  async function endStray(dialog: Dialog, flow: SipFlow, isNew: boolean) {
    const [first] = await peersOf(endpoint, dialog, flow)
    if (first) transactions.sendAck(ackIn(dialog, dialog.seq), first)
    // A repeated 2xx gets its ACK again; the BYE has a transaction of its own.
    if (isNew) await bye(dialog, flow)
  }

  return {
    async endDialog(text) {
      const saved = readSaved(text)
      if (!saved) return log.warn({ event: 'sip.saved_dialog_invalid' }, 'saved dialog could not be read')
      if (saved.kind === 'dialog') await bye(saved.dialog, saved.peer)
      else if (saved.kind === 'calling') await cancel(saved.uri, saved.headers, saved.peer, saved.trunkId)
      else await refuse(saved.headers, saved.peer)
    },
    stray,
  }
}
