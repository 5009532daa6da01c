import { Group, Paper, SimpleGrid, Text, ThemeIcon, Title } from '@mantine/core'
import {
  IconHourglass,
  IconListCheck,
  IconPhoneCheck,
  IconPhoneX,
  IconPlug,
  IconRouter,
  IconWebhook,
} from '@tabler/icons-react'
import { Link } from 'react-router'
import type { ResponseOf } from '../../kit/api.ts'
import { count } from '../../kit/ui/format.ts'
import { OtherTimeZone } from '../../kit/ui/other-time-zone.tsx'
import { Dot } from '../../kit/ui/people.tsx'
import classes from './home.module.css'

type Home = ResponseOf<'/v1/home'>

/** The server counts as far as this. */
const maxToDo = 1_000

/** Today's calls, callers who wait, and what is left to do. */
export function TodayTiles({ home }: { home: Home }) {
  const { today: calls, waiting, to_do: toDo } = home
  const tiles = [
    {
      label: 'Answered',
      value: calls.answered.toLocaleString(),
      detail: `${count(calls.outbound, 'outbound call')} today`,
      icon: IconPhoneCheck,
      color: 'green',
      to: '/dashboard/calls?only=answered&direction=inbound&range=today',
    },
    {
      label: 'Missed',
      value: calls.missed.toLocaleString(),
      detail: 'inbound calls today',
      icon: IconPhoneX,
      color: calls.missed > 0 ? 'red' : 'gray',
      to: '/dashboard/calls?only=missed&range=today',
    },
    {
      label: 'Waiting now',
      value: waiting.toLocaleString(),
      detail: waiting === 1 ? 'caller in a queue' : 'callers in queues',
      icon: IconHourglass,
      color: waiting > 0 ? 'orange' : 'gray',
      to: '/dashboard/live',
    },
    {
      label: 'To do',
      value: `${toDo.calls.toLocaleString()}${toDo.calls >= maxToDo ? '+' : ''}`,
      detail: `calls to handle, ${toDo.voicemails.toLocaleString()} with voicemail`,
      icon: IconListCheck,
      color: toDo.calls > 0 ? 'blue' : 'gray',
      to: '/dashboard/calls?only=todo',
    },
  ]
  return (
    <section aria-labelledby="home-today">
      <Title order={2} size="h4" mb="sm" id="home-today">
        Today <OtherTimeZone name={home.time_zone} />
      </Title>
      <SimpleGrid cols={{ base: 2, lg: 4 }} spacing="md">
        {tiles.map(({ label, value, detail, icon: Icon, color, to }) => (
          <Paper key={label} withBorder p="md" component={Link} to={to} className={classes.tile}>
            <Group wrap="nowrap" gap="md" align="flex-start">
              <ThemeIcon variant="light" color={color} size={44} radius="md" visibleFrom="sm">
                <Icon size={24} stroke={1.7} />
              </ThemeIcon>
              <div>
                <Text size="sm" fw={600}>
                  {label}
                </Text>
                <Text className={classes.figure}>{value}</Text>
                <Text size="sm" c="dimmed">
                  {detail}
                </Text>
              </div>
            </Group>
          </Paper>
        ))}
      </SimpleGrid>
    </section>
  )
}

interface HealthLook {
  color: string
  words: string
}

function trunkLook({ total, up, down }: { total: number; up: number; down: number }): HealthLook {
  if (total === 0) return { color: 'gray', words: 'No SIP trunk connected' }
  if (down > 0) return { color: 'red', words: `${down} of ${count(total, 'trunk')} unreachable` }
  if (up === total) return { color: 'green', words: total === 1 ? 'Available' : `All ${total} available` }
  return { color: 'yellow', words: `${up} of ${count(total, 'trunk')} available` }
}

function webhookLook({ total, failing, paused }: Home['health']['webhooks']): HealthLook {
  if (total === 0) return { color: 'gray', words: 'No webhooks' }
  if (failing > 0) return { color: 'red', words: `${failing} of ${count(total, 'webhook')} failing or disabled` }
  if (paused > 0) return { color: 'yellow', words: `${paused} of ${count(total, 'webhook')} paused` }
  return { color: 'green', words: `${count(total, 'webhook')}, none failing` }
}

function integrationLook({ total, off }: Home['health']['integrations']): HealthLook {
  if (total === 0) return { color: 'gray', words: 'None' }
  if (off > 0) return { color: 'yellow', words: `${off} of ${count(total, 'app or key', 'apps and keys')} turned off` }
  return { color: 'green', words: `${total} active` }
}

/** Trunks, webhooks, apps and API keys. */
export function HealthTiles({ home: { health } }: { home: Home }) {
  const tiles = [
    ...(health.trunks
      ? [{ label: 'SIP trunks', icon: IconRouter, to: '/dashboard/trunks', ...trunkLook(health.trunks) }]
      : []),
    { label: 'Webhooks', icon: IconWebhook, to: '/dashboard/webhooks', ...webhookLook(health.webhooks) },
    {
      label: 'Apps and API keys',
      icon: IconPlug,
      to: '/dashboard/integrations',
      ...integrationLook(health.integrations),
    },
  ]
  return (
    <section aria-labelledby="home-health">
      <Title order={2} size="h4" mb="sm" id="home-health">
        Health
      </Title>
      <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="md">
        {tiles.map(({ label, icon: Icon, to, color, words }) => (
          <Paper key={label} withBorder p="md" component={Link} to={to} className={classes.tile}>
            <Group gap="sm" wrap="nowrap">
              <Icon size={20} stroke={1.7} className={classes.arrow} aria-hidden />
              <div>
                <Text size="sm" fw={600}>
                  {label}
                </Text>
                <Group gap={8} wrap="nowrap">
                  <Dot color={color} />
                  <Text size="sm" c="dimmed">
                    {words}
                  </Text>
                </Group>
              </div>
            </Group>
          </Paper>
        ))}
      </SimpleGrid>
    </section>
  )
}
