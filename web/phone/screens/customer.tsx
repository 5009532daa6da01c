import { ActionIcon, Anchor, Button, Card, Group, Stack, Text, Title, Tooltip } from '@mantine/core'
import { IconEdit, IconMessage, IconPhone, IconUserPlus } from '@tabler/icons-react'
import { Suspense, useState } from 'react'
import { lazyPart } from '../../kit/load.ts'
import { displayNumber } from '../../kit/phone-number.ts'
import { ErrorAlert } from '../../kit/ui/error-alert.tsx'
import { dateTime, span } from '../../kit/ui/format.ts'
import { PhoneText } from '../../kit/ui/phone-text.tsx'
import { callOutcome, isMissedCall, isToDoCall } from '../call-labels.ts'
import { usePhone } from '../context.ts'
import { contactName, type PhoneCall, useCall } from '../data.ts'
import type { PhoneState } from '../model.ts'
import { useOpenConversation } from '../open-conversation.ts'
import { type ContactShown, useContactOf, useToDoWriter } from '../work-data.ts'
import { Failure, RecordedAudio } from './call-row.tsx'
import { ContactForm } from './contact-form.tsx'
import { CustomerThread } from './customer-thread.tsx'

const CallDetails = lazyPart(() => import('./call-details.tsx'))

/** One customer: the contact, the selected call, and everything before it in one thread. */
export default function Customer({ number, callId }: { number: string; callId: number | null }) {
  const { state } = usePhone()
  // The details of a call in progress or in wrap-up are beside it.
  const isLive = isAtPhone(state, callId)
  return (
    <Stack gap="md">
      <ContactCard number={number} isTitle />
      {callId !== null && !isLive && <SelectedCall key={callId} id={callId} />}
      <CustomerThread number={number} without={callId} />
    </Stack>
  )
}

const isAtPhone = ({ talks, rings, wrapUp }: PhoneState, callId: number | null) =>
  callId !== null &&
  [...talks.map(({ call_id }) => call_id), ...rings.map(({ call_id }) => call_id), wrapUp?.callId].includes(callId)

/** The contact of a number: name, company, numbers and email addresses. */
export function ContactCard({ number, isTitle = false }: { number: string; isTitle?: boolean }) {
  const { dispatch, state } = usePhone()
  const openConversation = useOpenConversation()
  const { data: contact, error, refetch } = useContactOf(number)
  const [isEditing, setEditing] = useState(false)
  const name = contact ? contactName(contact) : displayNumber(number)
  if (error && contact === undefined) return <ErrorAlert error={error} retry={() => void refetch()} />
  return (
    <Card withBorder padding="md" component="section" aria-label="Contact">
      <Group justify="space-between" wrap="nowrap" align="flex-start" gap="xs">
        <div style={{ minWidth: 0 }}>
          <Title order={isTitle ? 1 : 2} size={isTitle ? 'h3' : 'h4'} style={{ overflowWrap: 'anywhere' }}>
            {name}
          </Title>
          <Text size="sm" c="dimmed">
            {contact === null ? 'Not in your contacts' : (contact?.company_name ?? ' ')}
          </Text>
        </div>
        <Group gap={4} wrap="nowrap" flex="none">
          {isTitle && (
            <>
              <Tooltip label="Message">
                <ActionIcon
                  variant="default"
                  size="lg"
                  aria-label={`Message ${name}`}
                  onClick={() => void openConversation(number)}
                >
                  <IconMessage size={18} aria-hidden />
                </ActionIcon>
              </Tooltip>
              {state.talks.length === 0 && (
                <Tooltip label="Call">
                  <ActionIcon
                    variant="default"
                    size="lg"
                    aria-label={`Call ${name}`}
                    onClick={() => dispatch({ type: 'prefilled', to: number })}
                  >
                    <IconPhone size={18} aria-hidden />
                  </ActionIcon>
                </Tooltip>
              )}
            </>
          )}
          {contact && !isEditing && (
            <Tooltip label="Edit contact">
              <ActionIcon variant="default" size="lg" aria-label="Edit contact" onClick={() => setEditing(true)}>
                <IconEdit size={18} aria-hidden />
              </ActionIcon>
            </Tooltip>
          )}
        </Group>
      </Group>
      {isEditing ? (
        <Stack mt="sm">
          <ContactForm contact={contact ?? null} number={number} close={() => setEditing(false)} />
        </Stack>
      ) : (
        <>
          {contact && <Reach contact={contact} />}
          {contact === null && (
            <Button
              mt="sm"
              size="xs"
              w="fit-content"
              variant="light"
              leftSection={<IconUserPlus size={16} aria-hidden />}
              onClick={() => setEditing(true)}
            >
              Create contact
            </Button>
          )}
        </>
      )}
    </Card>
  )
}

function Reach({ contact: { phone_numbers, emails, information } }: { contact: ContactShown }) {
  return (
    <Stack gap={2} mt="xs">
      {phone_numbers.map(({ id, label, value }) => (
        <Text key={id} size="sm">
          <Text span c="dimmed" inherit>
            {label}{' '}
          </Text>
          <PhoneText value={value} />
        </Text>
      ))}
      {emails.map(({ id, label, value }) => (
        <Text key={id} size="sm">
          <Text span c="dimmed" inherit>
            {label}{' '}
          </Text>
          <Anchor href={`mailto:${encodeURIComponent(value)}`} inherit>
            {value}
          </Anchor>
        </Text>
      ))}
      {information && (
        <Text size="sm" mt={4} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          {information}
        </Text>
      )}
    </Stack>
  )
}

/** One call in detail, with what can be changed about it. */
export function SelectedCall({ id }: { id: number }) {
  const { data: call, error, refetch } = useCall(id)
  if (error && !call) return <ErrorAlert error={error} retry={() => void refetch()} />
  if (!call) return <Text c="dimmed">Loading…</Text>
  return (
    <Card withBorder padding="md" component="section" aria-label="Selected call">
      <Stack gap="sm">
        <CallHead call={call} />
        {call.direction === 'outbound' && isMissedCall(call) && <Failure id={call.id} />}
        <RecordedAudio call={call} />
        <Suspense fallback={<Text c="dimmed">Loading…</Text>}>
          <CallDetails callId={call.id} />
        </Suspense>
      </Stack>
    </Card>
  )
}

function CallHead({ call }: { call: PhoneCall }) {
  const write = useToDoWriter()
  const isToDo = isToDoCall(call)
  return (
    <Group justify="space-between" align="flex-start" gap="xs">
      <div>
        <Title order={2} size="h5">
          {call.direction === 'inbound' ? 'Inbound call' : 'Outbound call'}: {callOutcome(call)}
        </Title>
        <Text size="sm" c="dimmed">
          {[dateTime(call.started_at), call.number?.name, call.user?.name].filter(Boolean).join(' · ')}
          {call.answered_at !== null && ` · ${span(call.duration)}`}
        </Text>
      </div>
      {isToDo && !call.archived && (
        <Button size="xs" variant="default" onClick={() => void write.read(call.id, false)}>
          Mark as unread
        </Button>
      )}
    </Group>
  )
}
