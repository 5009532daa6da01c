import { type Office, ringTo, toUser, voicemail } from '../kit/phone.ts'

/** An ended and transcribed call. */
export async function talk(office: Office, ...lines: string[]) {
  const { ada, pass } = office
  const line = await office.line({ ring: ringTo([toUser(ada)]), box: voicemail }, { recording: true })
  const said = lines.map((say) => ({ say, seconds: 3 }))
  const id = await office.call(line, { script: [{ hear: 2 }, ...said, { wait: 1 }, { hang_up: true as const }] })
  await pass(3)
  await office.does(ada, { kind: 'answer' })
  await pass(120)
  return { id, line }
}
