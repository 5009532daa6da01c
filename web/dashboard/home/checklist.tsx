import { Anchor, Badge, Button, Group, Paper, Progress, Stack, Text, ThemeIcon, Title } from '@mantine/core'
import { IconCheck, IconChevronRight } from '@tabler/icons-react'
import { useState } from 'react'
import { Link } from 'react-router'
import type { ResponseOf } from '../../kit/api.ts'
import { useSession } from '../../kit/session.tsx'
import { browserStorage } from '../../kit/storage.ts'
import { useNumbers } from '../../kit/ui/lists.ts'
import classes from './home.module.css'

type Setup = NonNullable<ResponseOf<'/v1/home'>['setup']>
type Step = Setup['steps'][number]

interface StepWords {
  label: string
  text: string
  to: string
  isDocumentation?: boolean
}

/** Whether the user has hidden the list, remembered in this browser for each company. */
export function useHiddenChecklist(companyId: number): [isHidden: boolean, setHidden: (hidden: boolean) => void] {
  const key = `hookswitch.setup.hidden.${companyId}`
  const [isHidden, setHidden] = useState(browserStorage.read(key) !== null)
  return [
    isHidden,
    (hidden) => {
      if (hidden) browserStorage.write(key, '1')
      else browserStorage.remove(key)
      setHidden(hidden)
    },
  ]
}

function wordsOf(
  kind: Step['kind'],
  { mode, tenancy }: ReturnType<typeof useSession>,
  numberId: number | undefined,
): StepWords {
  const isSandbox = mode === 'sandbox'
  switch (kind) {
    case 'number':
      return tenancy === 'multi'
        ? {
            label: 'Get a number',
            text: 'The operator of this installation assigns numbers to your company.',
            to: '/dashboard/numbers',
          }
        : { label: 'Add a number', text: 'Callers reach your company at this number.', to: '/dashboard/numbers?new=1' }
    case 'trunk':
      return {
        label: isSandbox ? 'Connect a SIP trunk, or stay in the sandbox' : 'Connect a SIP trunk',
        text: isSandbox
          ? 'In the sandbox all calls are simulated, so you can do this later.'
          : 'Your carrier delivers calls to your numbers, and your calls to everyone else.',
        to: '/dashboard/trunks',
      }
    case 'users':
      return { label: 'Invite users', text: 'The agents who take calls.', to: '/dashboard/users?new=1' }
    case 'flow':
      return {
        label: 'Design the call flow',
        text: 'Choose who rings, when you are open and what callers hear. Open a number to edit its flow.',
        to: '/dashboard/numbers',
      }
    case 'test_call':
      return {
        label: 'Place a test call',
        text: isSandbox
          ? 'Simulate an inbound call in the sandbox.'
          : 'Done with the first call: call your number from another phone. “Test flow”, which opens here, tries the flow without a call.',
        to: isSandbox ? '/dashboard/developers/sandbox' : testOf(numberId),
      }
    case 'go_live':
      return isSandbox
        ? {
            label: 'Go live',
            text: 'Run Hookswitch in production mode to take calls from real carriers.',
            to: '/docs/operating',
            isDocumentation: true,
          }
        : {
            label: 'Go live',
            text: 'Done as soon as a SIP trunk is registered or reachable.',
            to: '/dashboard/trunks',
          }
  }
}

/** The flow of a number, with its test opened. */
const testOf = (numberId: number | undefined) =>
  numberId === undefined ? '/dashboard/numbers' : `/dashboard/numbers/${numberId}/flow?test=1`

/** The steps until the company takes calls; each leads to the page where it is done. */
export function Checklist({
  setup: { steps },
  isHidden,
  setHidden,
}: {
  setup: Setup
  isHidden: boolean
  setHidden: (hidden: boolean) => void
}) {
  const session = useSession()
  const { data: numbers } = useNumbers()
  const done = steps.filter((step) => step.done).length
  const next = steps.find((step) => !step.done && !step.optional)
  if (isHidden) {
    return (
      <Text size="sm" c="dimmed">
        Set-up is not complete: {done} of {steps.length} steps are done.{' '}
        <Anchor component="button" type="button" size="sm" underline="always" onClick={() => setHidden(false)}>
          Show checklist
        </Anchor>
      </Text>
    )
  }
  return (
    <Paper withBorder p="lg" component="section" aria-label="Set-up checklist">
      <Stack gap="md">
        <Group justify="space-between" align="flex-start">
          <div>
            <Title order={2} size="h4">
              Set up your phone system
            </Title>
            <Text size="sm" c="dimmed">
              {done} of {steps.length} steps done
            </Text>
          </div>
          <Button variant="subtle" color="gray" size="xs" onClick={() => setHidden(true)}>
            Hide
          </Button>
        </Group>
        <Progress value={(done / steps.length) * 100} size="sm" aria-label="Completed steps" />
        <ol className={classes.steps}>
          {steps.map((step, n) => (
            <li key={step.kind}>
              <StepRow
                step={step}
                place={n + 1}
                isNext={step === next}
                words={wordsOf(step.kind, session, numbers?.[0]?.id)}
              />
            </li>
          ))}
        </ol>
      </Stack>
    </Paper>
  )
}

function StepRow({
  step: { done, optional },
  place,
  isNext,
  words: { label, text, to, isDocumentation },
}: {
  step: Step
  place: number
  isNext: boolean
  words: StepWords
}) {
  const content = (
    <>
      <ThemeIcon
        variant={done ? 'filled' : 'light'}
        color={done ? 'green.9' : isNext ? 'sea' : 'gray'}
        size={28}
        radius="xl"
        {...(done && { role: 'img', 'aria-label': 'Done' })}
      >
        {done ? <IconCheck size={16} /> : <span className={classes.place}>{place}</span>}
      </ThemeIcon>
      <div className={classes.words}>
        <Group gap="xs">
          <Text size="sm" fw={600} {...(done && { c: 'dimmed' })}>
            {label}
          </Text>
          {optional && !done && (
            <Badge size="sm" variant="light" color="gray" tt="none">
              Optional
            </Badge>
          )}
        </Group>
        {!done && (
          <Text size="sm" c="dimmed">
            {text}
          </Text>
        )}
      </div>
      <IconChevronRight size={16} className={classes.arrow} aria-hidden />
    </>
  )
  return isDocumentation ? (
    <a href={to} className={classes.step}>
      {content}
    </a>
  ) : (
    <Link to={to} className={classes.step} {...(isNext && { 'aria-current': 'step' })}>
      {content}
    </Link>
  )
}
