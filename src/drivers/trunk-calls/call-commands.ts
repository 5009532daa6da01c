import { isEmergencyAnywhere } from '../../domain/toll.ts'
import type { SipCalls } from '../embedded/sip-calls.ts'
import { refusals } from '../sip/outcome.ts'
import type { CallsByLeg } from './calls-by-leg.ts'
import type { TrunkCallsOptions } from './options.ts'
import type { StackOpening } from './stack-opening.ts'

export type CallCommands = Pick<
  SipCalls,
  'dial' | 'dialDevice' | 'ringing' | 'answer' | 'end' | 'refuseTransfer' | 'endDialog'
>

export function createCallCommands(
  calls: CallsByLeg,
  opening: StackOpening,
  { refusesEmergency }: TrunkCallsOptions,
): CallCommands {
  return {
    async dial(leg, trunkId, { to, from, anonymous, headers, timeoutMs, urgent, silenceMs, sdpOffer }) {
      if (refusesEmergency && (urgent || isEmergencyAnywhere(to))) {
        throw new Error('emergency numbers are not dialled from here')
      }
      await opening.attempted()
      const stack = opening.stack()
      if (!stack) throw new Error('there is no line')
      const call = stack.invite({
        trunkId,
        to,
        from,
        timeoutMs,
        sdp: sdpOffer,
        ...(silenceMs !== undefined && { silenceMs }),
        ...(anonymous && { anonymous }),
        ...(headers && { headers }),
      })
      calls.add(leg, call)
      calls.listen(leg, call)
    },
    async dialDevice(leg, target, { from, anonymous, timeoutMs, sdpOffer }) {
      await opening.attempted()
      const stack = opening.stack()
      if (!stack) throw new Error('the SIP ports are not open')
      const call = stack.inviteDevice(target, { from, timeoutMs, sdp: sdpOffer, ...(anonymous && { anonymous }) })
      calls.add(leg, call)
      calls.listen(leg, call)
    },
    async ringing(leg, sdp, kind = 'answer') {
      calls.get(leg)?.progress(sdp !== undefined && kind === 'answer' ? 183 : 180, sdp)
    },
    async answer(leg, sdp) {
      calls.get(leg)?.answer(sdp)
    },
    async end(leg, why) {
      const call = calls.get(leg)
      if (!call) return undefined
      calls.remove(leg)
      if (why === 'hangup' || why === 'answered_elsewhere' || call.direction === 'outgoing') {
        call.hangup(why === 'answered_elsewhere' ? why : undefined)
        return undefined
      }
      call.reject(why)
      // A call that was answered can only be hung up.
      call.hangup()
      return refusals[why].status
    },
    async refuseTransfer(leg) {
      calls.get(leg)?.refuseRefer()
    },
    async endDialog(dialog) {
      const leg = calls.legOfDialog(dialog)
      // Known to this process: if the call has ended, its end was already reported.
      if (leg !== undefined) return calls.get(leg)?.hangup()
      await opening.whenOpen()
      await opening.stack()?.endDialog(dialog)
    },
  }
}
