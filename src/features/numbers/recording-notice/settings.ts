import { type Static, Type } from 'typebox'
import type { RecordingNotice } from '../../../domain/call/state.ts'
import { oneOf, text } from '../../../http/schemas.ts'
import { numberLanguages } from '../numbers/route-parts.ts'

export const noticeModes = ['none', 'announce', 'opt_out', 'consent'] as const

/** The announcement before a recording, of a company or of a Number. */
export const RecordingNoticeSettings = Type.Object({
  mode: oneOf(noticeModes, {
    description:
      'none: no announcement · announce: recording starts after it · opt_out: the other party may press `key` not to be recorded · consent: recorded only if the other party presses `key`',
  }),
  key: Type.String({ pattern: '^[0-9*#]$', maxLength: 1, examples: ['9'] }),
  outbound: Type.Boolean({ description: 'Also played on outbound calls, after the answer' }),
  prompts: Type.Array(
    Type.Object({
      language: oneOf(numberLanguages),
      url: text(2_048, { examples: ['https://files.example/recorded.mp3'] }),
    }),
    {
      maxItems: numberLanguages.length,
      description: 'By language of the Number; the first one where none has its language. Required unless mode is none',
    },
  ),
})
export type RecordingNoticeSettings = Static<typeof RecordingNoticeSettings>

export const noNotice: RecordingNoticeSettings = { mode: 'none', key: '9', outbound: true, prompts: [] }

/** Of the same language and country, otherwise of the same language, otherwise the first. */
export function promptFor({ prompts }: RecordingNoticeSettings, language: string): string | null {
  const [short = ''] = language.split('-')
  const found =
    prompts.find((one) => one.language === language) ??
    prompts.find((one) => one.language.startsWith(`${short}-`)) ??
    prompts[0]
  return found?.url ?? null
}

/** As the call machine needs it; undefined: no announcement. */
export function noticeFor(settings: RecordingNoticeSettings, language: string): RecordingNotice | undefined {
  const { mode, key, outbound } = settings
  return mode === 'none' ? undefined : { mode, key, outbound, media: promptFor(settings, language) }
}
