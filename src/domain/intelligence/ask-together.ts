import { type Asking, askingAbout } from './asking.ts'
import { objectOf, problemIn } from './json-schema.ts'
import type { Transcript } from './transcript.ts'

/** Answers by name of the question; a missing or invalid one is absent. */
export type AnswersTogether = Partial<Record<string, unknown>>

/**
 * One request for several questions about a call: the transcript, which is most of the tokens, is sent once. Each answer
 * is validated by itself.
 */
export function askTogether(
  transcript: Transcript,
  questions: readonly Asking<unknown>[],
): (Asking<AnswersTogether> & { isUsable(answer: unknown): boolean }) | undefined {
  const read = (answer: unknown): AnswersTogether =>
    Object.fromEntries(
      questions.flatMap(({ name, schema }) => {
        const own = typeof answer === 'object' && answer !== null ? (answer as AnswersTogether)[name] : undefined
        return own === undefined || problemIn(schema, own) !== undefined ? [] : [[name, own]]
      }),
    )
  const asking = askingAbout(transcript, {
    name: 'call_results',
    task: [
      'Answer these tasks about the call, each by itself, in the field with its name.',
      ...questions.map(({ name, task }) => `${name}: ${task}`),
    ].join('\n\n'),
    schema: objectOf(Object.fromEntries(questions.map(({ name, schema }) => [name, schema]))),
    read,
  })
  return asking && { ...asking, isUsable: (answer) => Object.keys(read(answer)).length > 0 }
}
