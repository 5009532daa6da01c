import { Box, Group, Stack, Text, Tooltip } from '@mantine/core'
import { IconArrowForwardUp, IconMessage, IconTag } from '@tabler/icons-react'
import { span } from '../../kit/ui/format.ts'
import classes from './call-picture.module.css'
import type { Doing, Lane, LaneSegment, Mark, Picture } from './lanes.ts'
import type { RingOutcome } from './trace.ts'

const doingWords: Record<Doing, string> = {
  message: 'in audio',
  menu: 'in IVR',
  waiting: 'waiting',
  voicemail: 'in voicemail',
  ringing: 'ringing',
  talking: 'talking',
  hold: 'on hold',
  outside: 'with an external number',
}

const outcomeWords: Record<RingOutcome, string> = {
  answered: 'answered',
  declined: 'declined',
  no_answer: 'no answer',
  cancelled: 'stopped ringing',
}

const markIcons = { comment: IconMessage, tag: IconTag, transfer: IconArrowForwardUp }

/** Timeline with one lane per party. */
export function CallPicture({
  picture,
  caller,
  nameOf,
}: {
  picture: Picture
  caller: string
  nameOf: (userId: number) => string
}) {
  const { start, end, lanes, marks } = picture
  const place = (at: number) => ((at - start) / (end - start)) * 100
  const labelOf = (lane: Lane) => (lane.userId === null ? caller : nameOf(lane.userId))
  const summary = lanes
    .map((lane) => `${labelOf(lane)}: ${lane.pieces.map((piece) => wordsOf(piece)).join(', ')}`)
    .join('. ')
  const shown = [...new Set(lanes.flatMap(({ pieces }) => pieces.map(classOf)))]
  return (
    <Stack gap={6} className={classes.picture}>
      <Stack gap={6} role="img" aria-label={`Call timeline. ${summary}`}>
        {lanes.map((lane) => (
          <div key={lane.userId ?? 'caller'} className={classes.lane}>
            <Text size="sm" truncate fw={lane.userId === null ? 600 : 400} title={labelOf(lane)}>
              {labelOf(lane)}
            </Text>
            <div className={classes.track}>
              {lane.pieces.map((piece) => (
                <Bar
                  key={`${piece.doing}${piece.from}`}
                  piece={piece}
                  left={place(piece.from)}
                  right={place(piece.to)}
                  who={labelOf(lane)}
                  start={start}
                />
              ))}
            </div>
          </div>
        ))}
        <div className={classes.lane}>
          <span />
          <Axis length={(end - start) / 1_000} />
        </div>
        {marks.length > 0 && (
          <div className={classes.lane}>
            <Text size="xs" c="dimmed">
              Notes
            </Text>
            <div className={classes.marks}>
              {marks.map((mark, i) => (
                <Sign
                  key={`${mark.kind}${mark.at}${mark.words}`}
                  mark={mark}
                  left={place(mark.at)}
                  crowd={marks.slice(i + 1).filter(({ at }) => Math.abs(place(at) - place(mark.at)) < closeBy).length}
                />
              ))}
            </div>
          </div>
        )}
      </Stack>
      <Group gap="md" aria-hidden>
        {shown.map((name) => (
          <Group key={name} gap={6}>
            <Box className={`${classes.swatch} ${classes[name]}`} />
            <Text size="xs" c="dimmed">
              {legend[name]}
            </Text>
          </Group>
        ))}
      </Group>
    </Stack>
  )
}

type Look = Doing | 'declined' | 'no_answer'

const legend: Record<Look, string> = {
  message: 'Audio',
  menu: 'IVR',
  waiting: 'Waiting',
  voicemail: 'Voicemail',
  ringing: 'Ringing',
  talking: 'Talking',
  hold: 'On hold',
  outside: 'External number',
  declined: 'Declined',
  no_answer: 'No answer',
}

const classOf = ({ doing, outcome }: LaneSegment): Look =>
  doing === 'ringing' && (outcome === 'declined' || outcome === 'no_answer') ? outcome : doing

const wordsOf = ({ doing, from, to, outcome }: LaneSegment) =>
  `${doingWords[doing]} for ${span((to - from) / 1_000)}${outcome ? `, ${outcomeWords[outcome]}` : ''}`

function Bar({
  piece,
  left,
  right,
  who,
  start,
}: {
  piece: LaneSegment
  left: number
  right: number
  who: string
  start: number
}) {
  return (
    <Tooltip label={`${span((piece.from - start) / 1_000)} · ${who}: ${wordsOf(piece)}`} multiline maw={280}>
      <div
        className={`${classes.piece} ${classes[classOf(piece)]}`}
        style={{ left: `${left}%`, width: `${Math.max(0, right - left)}%` }}
      />
    </Tooltip>
  )
}

/** Percent of the width below which two marks would overlap. */
const closeBy = 4

/** `crowd`: the number of marks that follow closely; the mark moves to the left by that many. */
function Sign({ mark, left, crowd }: { mark: Mark; left: number; crowd: number }) {
  const Icon = markIcons[mark.kind]
  return (
    <Tooltip label={mark.words}>
      <span className={classes.mark} style={{ left: `${left}%`, marginLeft: -20 * crowd }}>
        <Icon size={16} stroke={1.8} />
      </span>
    </Tooltip>
  )
}

const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200]

function Axis({ length }: { length: number }) {
  const step = steps.find((one) => length / one <= 7) ?? 14_400
  const ticks = Array.from({ length: Math.floor((length * 0.97) / step) + 1 }, (_, i) => i * step)
  return (
    <div className={classes.axis}>
      {ticks.map((at) => (
        <span key={at} className={classes.tick} style={{ left: `${(at / length) * 100}%` }}>
          {span(at)}
        </span>
      ))}
    </div>
  )
}
