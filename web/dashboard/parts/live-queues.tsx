import { Badge, Box, Text } from '@mantine/core'
import { Link } from 'react-router'
import { count, span } from '../../kit/ui/format.ts'
import { Empty } from '../../kit/ui/page.tsx'
import classes from './live.module.css'
import type { Queue } from './live.ts'
import { LiveSection } from './live-section.tsx'

export function LiveQueues({ queues, now }: { queues: Queue[]; now: number }) {
  return (
    <LiveSection title="Queues">
      {queues.length === 0 ? (
        <Empty title="No callers waiting" />
      ) : (
        <ul className={classes.list}>
          {queues.map((queue) => {
            const wait = now - queue.longest_since
            return (
              <li key={queue.number.id} className={classes.line}>
                <Box flex={1} miw={0}>
                  <Link to={`/dashboard/numbers/${queue.number.id}`} className={classes.link}>
                    <Text size="sm" fw={550} truncate>
                      {queue.number.name}
                    </Text>
                  </Link>
                  <Text size="xs" c="dimmed">
                    {count(queue.waiting, 'caller')} waiting
                  </Text>
                </Box>
                <Text size="xs" c="dimmed">
                  Longest wait
                </Text>
                <Badge variant="light" size="lg" color={waitColor(wait)} ff="monospace">
                  {span(wait)}
                </Badge>
              </li>
            )
          })}
        </ul>
      )}
    </LiveSection>
  )
}

/** Orange from one minute, red from two. */
export function waitColor(seconds: number | null): string {
  if (seconds === null) return 'gray'
  if (seconds < 60) return 'yellow'
  return seconds < 120 ? 'orange' : 'red'
}
