import type { ScriptLine } from '../../domain/sandbox/people.ts'
import type { AttachOptions, VoiceDriver } from '../../domain/voice.ts'
import { afterOnLeg, openLeg } from './leg-lifecycle.ts'
import { agent } from './people.ts'
import { phoneOfLeg } from './phone-of-leg.ts'
import type { Switchboard } from './switchboard.ts'

type PhoneAppUser = NonNullable<AttachOptions['user']>

/** The company's side: phone apps of agents, who may have lines to speak. */
export function createInside(board: Switchboard) {
  let linesOf: (user: PhoneAppUser) => readonly ScriptLine[] | Promise<readonly ScriptLine[]> = () => []

  const attachBrowser: VoiceDriver['attachBrowser'] = async ({ user }) => {
    const lines = user ? await linesOf(user) : []
    const leg = openLeg(board, 'left', null, 'up')
    if (lines.length > 0) {
      leg.talksSteadily = false
      leg.person = agent(phoneOfLeg(board, leg), lines)
    }
    afterOnLeg(board, leg, 0, () => board.emit({ kind: 'leg.connected', leg: leg.id }))
    return { leg: leg.id, sdpAnswer: null }
  }

  return {
    attachBrowser,
    setAgentLines(lookup: typeof linesOf) {
      linesOf = lookup
    },
  }
}
