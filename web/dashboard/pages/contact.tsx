import { Anchor, Button, Grid, Group, Paper, Skeleton, Stack, Text, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconArrowMerge, IconMail, IconPencil, IconPhone } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useNavigate, useParams } from 'react-router'
import { ApiError, api } from '../../kit/api.ts'
import { displayNumber } from '../../kit/phone-number.ts'
import { isAdmin, useSession } from '../../kit/session.tsx'
import { ErrorAlert } from '../../kit/ui/error-alert.tsx'
import { dateTime } from '../../kit/ui/format.ts'
import { Empty, Page } from '../../kit/ui/page.tsx'
import { CopyNumber, PhoneText } from '../../kit/ui/phone-text.tsx'
import { nameOfContact } from '../parts/call.ts'
import { type Contact, ContactDrawer } from '../parts/contact-drawer.tsx'
import { ContactOwner } from '../parts/contact-owner.tsx'
import { ContactTimeline } from '../parts/contact-timeline.tsx'
import { MergeDrawer } from '../parts/merge-contacts.tsx'

export default function ContactPage() {
  const { id = '' } = useParams()
  const { data, error, refetch } = useQuery({
    queryKey: ['contacts', 'one', id],
    queryFn: async () => (await api.get('/v1/contacts/{id}', { params: { id } })).contact,
  })
  if (error && !data) return <NoContact error={error} retry={() => void refetch()} />
  if (!data) {
    return (
      <Page title="Contact">
        <Skeleton height={320} />
      </Page>
    )
  }
  return <Loaded key={data.id} contact={data} />
}

function NoContact({ error, retry }: { error: unknown; retry: () => void }) {
  const isGone = error instanceof ApiError && (error.status === 404 || error.status === 400)
  return (
    <Page title="Contact" lead={<BackLink />}>
      {isGone ? (
        <Empty title="Contact not found">It was deleted or merged.</Empty>
      ) : (
        <ErrorAlert error={error} retry={retry} />
      )}
    </Page>
  )
}

function BackLink() {
  return (
    <Anchor component={Link} to="/dashboard/contacts" size="sm">
      All contacts
    </Anchor>
  )
}

function Loaded({ contact }: { contact: Contact }) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const mayMerge = isAdmin(useSession())
  const [isEditing, setEditing] = useState(false)
  const [isMerging, merging] = useDisclosure()
  const name = nameOfContact(contact) || displayNumber(contact.phone_numbers[0]?.value ?? '') || 'Unnamed contact'
  const [first] = contact.phone_numbers
  const closeEditor = () => {
    setEditing(false)
    void queries.invalidateQueries({ queryKey: ['contacts'] })
  }
  return (
    <Page
      title={name}
      lead={<BackLink />}
      actions={
        <>
          {first && (
            <Button component="a" href={dialLink(first.value)} target="_blank" leftSection={<IconPhone size={16} />}>
              Call back
            </Button>
          )}
          <Button variant="default" leftSection={<IconPencil size={16} />} onClick={() => setEditing(true)}>
            Edit
          </Button>
          {mayMerge && (
            <Button variant="default" leftSection={<IconArrowMerge size={16} />} onClick={merging.open}>
              Merge
            </Button>
          )}
        </>
      }
    >
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 8 }} order={{ base: 2, md: 1 }}>
          <ContactTimeline contact={contact} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 4 }} order={{ base: 1, md: 2 }}>
          <Details contact={contact} />
        </Grid.Col>
      </Grid>
      <ContactDrawer
        wanted={isEditing ? String(contact.id) : null}
        close={closeEditor}
        deleted={() => void navigate('/dashboard/contacts')}
      />
      {isMerging && <MergeDrawer contact={contact} close={merging.close} />}
    </Page>
  )
}

const dialLink = (value: string) => `/phone?dial=${encodeURIComponent(value)}`

function Details({ contact }: { contact: Contact }) {
  return (
    <Paper withBorder p="md">
      <Stack gap="md">
        {contact.company_name && <Fact label="Company">{contact.company_name}</Fact>}
        <Stack gap={6} role="group" aria-label="Phone numbers">
          <Title order={2} size="sm">
            Phone numbers
          </Title>
          {contact.phone_numbers.map(({ id, label, value }) => (
            <Group key={id} justify="space-between" wrap="nowrap" gap="xs">
              <Group gap={2} wrap="nowrap">
                <Anchor href={dialLink(value)} target="_blank" size="sm">
                  <Group gap={6} wrap="nowrap" component="span">
                    <IconPhone size={14} /> <PhoneText value={value} />
                  </Group>
                </Anchor>
                <CopyNumber value={value} />
              </Group>
              <Text size="xs" c="dimmed" truncate>
                {label}
              </Text>
            </Group>
          ))}
        </Stack>
        {contact.emails.length > 0 && (
          <Stack gap={6} role="group" aria-label="Email addresses">
            <Title order={2} size="sm">
              Email addresses
            </Title>
            {contact.emails.map(({ id, label, value }) => (
              <Group key={id} justify="space-between" wrap="nowrap" gap="xs">
                <Anchor href={`mailto:${encodeURIComponent(value)}`} size="sm" style={{ wordBreak: 'break-all' }}>
                  <Group gap={6} wrap="nowrap" component="span">
                    <IconMail size={14} /> {value}
                  </Group>
                </Anchor>
                <Text size="xs" c="dimmed" truncate>
                  {label}
                </Text>
              </Group>
            ))}
          </Stack>
        )}
        <ContactOwner contactId={contact.id} />
        {contact.information && <Fact label="Information">{contact.information}</Fact>}
        <Text size="xs" c="dimmed">
          Created {dateTime(contact.created_at)} · Updated {dateTime(contact.updated_at)}
        </Text>
      </Stack>
    </Paper>
  )
}

function Fact({ label, children }: { label: string; children: string }) {
  return (
    <Stack gap={2}>
      <Title order={2} size="sm">
        {label}
      </Title>
      <Text size="sm" style={{ whiteSpace: 'pre-wrap', wordBreak: 'break-word' }}>
        {children}
      </Text>
    </Stack>
  )
}
