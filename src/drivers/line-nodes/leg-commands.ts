import type { VoiceDriver } from '../../domain/voice.ts'
import type { LineNodeDriver } from '../line-node/driver.ts'
import type { Placement } from './placement.ts'

interface Options {
  placement: Placement
  /** The node that registers the first of these trunks: some carriers accept calls from there only. */
  holderOf(trunkIds: readonly string[]): LineNodeDriver | undefined
}

/** Commands about a leg or a recording are for its node. */
export function createLegCommands({ placement, holderOf }: Options) {
  const { ofLeg, ofRecording } = placement
  return {
    async dial(how) {
      const node = placement.choose(how, holderOf(how.trunkIds))
      const leg = await node.dial(how)
      placement.place({ leg }, node, how.callKey)
      return leg
    },
    async attachBrowser(how) {
      const node = placement.choose(how)
      const attached = await node.attachBrowser(how)
      placement.place({ leg: attached.leg }, node, how.callKey)
      return attached
    },
    ringing: (leg, ...rest) => ofLeg(leg).ringing(leg, ...rest),
    answer: (leg) => ofLeg(leg).answer(leg),
    reject: (leg, why) => ofLeg(leg).reject(leg, why),
    hangup: (leg, ...rest) => ofLeg(leg).hangup(leg, ...rest),
    refuseTransfer: (leg) => ofLeg(leg).refuseTransfer(leg),
    // The node of the dialog is gone; every node can send the BYE.
    endDialog: (dialog) => placement.choose({}).endDialog(dialog),
    leave: (leg) => ofLeg(leg).leave(leg),
    setMuted: (leg, muted) => ofLeg(leg).setMuted(leg, muted),
    play: (leg, ...rest) => ofLeg(leg).play(leg, ...rest),
    stopPlay: (leg) => ofLeg(leg).stopPlay(leg),
    sendDtmf: (leg, digits) => ofLeg(leg).sendDtmf(leg, digits),
    async openTap(leg, listener) {
      const node = ofLeg(leg)
      const opened = await tapsOf(node).openTap(leg, listener)
      placement.place({ tapId: opened.tapId }, node)
      return opened
    },
    async closeTap(tapId) {
      const node = placement.ofTap(tapId)
      placement.forgetTap(tapId)
      await node.closeTap?.(tapId)
    },
    speak: (leg, how) => tapsOf(ofLeg(leg)).speak(leg, how),
    pauseRecord: (recId) => ofRecording(recId).pauseRecord(recId),
    resumeRecord: (recId) => ofRecording(recId).resumeRecord(recId),
    stopRecord: (recId) => ofRecording(recId).stopRecord(recId),
  } satisfies Partial<VoiceDriver>
}

/** Nodes have both; the interface leaves them out for drivers without audio. */
function tapsOf({ openTap, speak }: VoiceDriver): Required<Pick<VoiceDriver, 'openTap' | 'speak'>> {
  if (!openTap || !speak) throw new Error('no audio taps')
  return { openTap, speak }
}
