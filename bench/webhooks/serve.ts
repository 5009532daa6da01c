/** What a process can be asked to do. */
export type Actions = Record<string, (input: never) => Promise<unknown>>

interface Question {
  id: number
  name: string
  input: never
}

export type Reply = { id: number; result: unknown } | { id: number; error: string }

/** The same clock in every process of this machine, in ms. */
export const now = () => performance.timeOrigin + performance.now()

/** Serves requests until the parent exits. */
export function serve(actions: Actions): void {
  const answer = async ({ id, name, input }: Question): Promise<Reply> => {
    try {
      return { id, result: await actions[name]?.(input) }
    } catch (error) {
      return { id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) }
    }
  }
  process.on('message', (question: Question) => void answer(question).then((reply) => process.send?.(reply)))
  process.on('disconnect', () => process.exit())
}
