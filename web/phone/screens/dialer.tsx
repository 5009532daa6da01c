import { ActionIcon, Badge, Button, Card, Group, Stack, Text, Title } from '@mantine/core'
import { IconPhone, IconX } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../kit/api.ts'
import { displayNumber } from '../../kit/phone-number.ts'
import { useSession } from '../../kit/session.tsx'
import { ErrorAlert } from '../../kit/ui/error-alert.tsx'
import { count } from '../../kit/ui/format.ts'
import { Empty } from '../../kit/ui/page.tsx'
import { PhoneText } from '../../kit/ui/phone-text.tsx'
import { notifyError } from '../../kit/ui/toast.tsx'
import { green } from '../colours.ts'
import { usePhone } from '../context.ts'
import { type Campaign, type CampaignNumber, campaignKey, useCampaign, useMe } from '../data.ts'
import css from '../phone.module.css'

/** The power dialer campaign of the user. */
export default function Dialer() {
  const { data: campaign, error, isPending, refetch } = useCampaign()
  if (error) return <ErrorAlert error={error} retry={() => void refetch()} />
  if (isPending) return <Text c="dimmed">Loading…</Text>
  if (!campaign) {
    return (
      <>
        <h1 className={css.unseen}>Power dialer</h1>
        <Empty title="No campaign">
          Numbers that an admin or your CRM adds to your power dialer appear here, ready to call one after the other.
        </Empty>
      </>
    )
  }
  return <List campaign={campaign} />
}

function List({ campaign }: { campaign: Campaign }) {
  const { state, dispatch, act } = usePhone()
  const { user } = useSession()
  const { data: me } = useMe()
  const queries = useQueryClient()
  const [isBusy, setBusy] = useState(false)
  const open = campaign.numbers.filter(({ called }) => !called)
  const skipOrder = ({ id }: CampaignNumber) => state.skipped.indexOf(id)
  const queue = open.toSorted((a, b) => skipOrder(a) - skipOrder(b))
  const [next, ...later] = queue
  const lines = me?.numbers.filter(({ validated }) => validated) ?? []
  const wanted = state.dial.lineId ?? (campaign.number_id === null ? null : Number(campaign.number_id))
  const line = lines.find(({ id }) => id === wanted) ?? lines[0]

  const call = async ({ number }: CampaignNumber) => {
    setBusy(true)
    await act({ type: 'dial', to: number, ...(line && { number_id: line.id }) })
    await queries.invalidateQueries({ queryKey: campaignKey })
    setBusy(false)
  }
  const remove = async ({ id }: CampaignNumber) => {
    try {
      await api.delete('/v1/users/{user_id}/dialer_campaign/phone_numbers/{id}', { params: { user_id: user.id, id } })
    } catch (error) {
      notifyError(error)
    }
    await queries.invalidateQueries({ queryKey: campaignKey })
  }
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Title order={1} size="h4">
          Power dialer
        </Title>
        <Badge variant="light" tt="none">
          {open.length} of {count(campaign.numbers.length, 'number')} left
        </Badge>
      </Group>
      {next && (
        <Card withBorder padding="md" component="section" aria-label="Next number">
          <Stack gap="sm" align="center">
            <Text size="sm" c="dimmed">
              Next{line ? `, from ${line.name}` : ''}
            </Text>
            <Text size="xl" fw={650}>
              <PhoneText value={next.number} />
            </Text>
            <Group grow w="100%">
              <Button
                variant="default"
                disabled={later.length === 0}
                onClick={() => dispatch({ type: 'skipped', id: next.id })}
              >
                Skip
              </Button>
              <Button
                {...green}
                loading={isBusy}
                leftSection={<IconPhone size={18} aria-hidden />}
                onClick={() => void call(next)}
              >
                Call
              </Button>
            </Group>
          </Stack>
        </Card>
      )}
      <Stack gap={0} component="ol" m={0} p={0} aria-label="Up next">
        {later.slice(0, 100).map((entry) => (
          <Group key={entry.id} component="li" justify="space-between" px={10} wrap="nowrap">
            <Text size="sm">
              <PhoneText value={entry.number} />
              {state.skipped.includes(entry.id) && (
                <Text span size="xs" c="dimmed">
                  {' '}
                  skipped
                </Text>
              )}
            </Text>
            <Group gap={0} wrap="nowrap">
              <ActionIcon
                variant="subtle"
                size="lg"
                color="green"
                aria-label={`Call ${displayNumber(entry.number)}`}
                onClick={() => void call(entry)}
              >
                <IconPhone size={16} aria-hidden />
              </ActionIcon>
              <ActionIcon
                variant="subtle"
                size="lg"
                color="gray"
                aria-label={`Remove ${displayNumber(entry.number)}`}
                onClick={() => void remove(entry)}
              >
                <IconX size={16} aria-hidden />
              </ActionIcon>
            </Group>
          </Group>
        ))}
      </Stack>
    </Stack>
  )
}
