import { Tooltip } from '@mantine/core'
import { indexOfQuote } from '../../kit/conversation/transcript.ts'
import { span } from '../../kit/ui/format.ts'
import classes from './conversation.module.css'
import type { Playback } from './conversation.tsx'

/** Explanation of an answer; quotes of the call link to the audio. */
export function Quote({ text, playback: { utterances, playFrom } }: { text: string; playback: Playback }) {
  const said = utterances[indexOfQuote(utterances, text)]
  if (!said || !playFrom) return <span className={classes.quote}>{text}</span>
  return (
    <Tooltip label={`Play from ${span(said.start_time)}`} openDelay={300}>
      <button type="button" className={classes.quote} onClick={() => playFrom(said.start_time)}>
        {text}
      </button>
    </Tooltip>
  )
}
