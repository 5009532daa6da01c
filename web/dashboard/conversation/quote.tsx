import { Tooltip } from '@mantine/core'
import { indexOfQuote } from '../../kit/conversation/transcript.ts'
import { span } from '../../kit/ui/format.ts'
import classes from './conversation.module.css'
import type { Hearing } from './conversation.tsx'

/** Why an answer is what it is. What was said on the call can be heard at a press. */
export function Quote({ text, hearing: { utterances, hear } }: { text: string; hearing: Hearing }) {
  const said = utterances[indexOfQuote(utterances, text)]
  if (!said || !hear) return <span className={classes.quote}>{text}</span>
  return (
    <Tooltip label={`Hear it at ${span(said.start_time)}`} openDelay={300}>
      <button type="button" className={classes.quote} onClick={() => hear(said.start_time)}>
        {text}
      </button>
    </Tooltip>
  )
}
