import { ActionIcon, Button, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api } from '../../kit/api.ts'
import { displayNumber, numberProblem, readNumber } from '../../kit/phone-number.ts'
import { useConfirm } from '../../kit/ui/confirm.tsx'
import { when } from '../../kit/ui/format.ts'
import { PhoneInput } from '../../kit/ui/phone-input.tsx'
import { Pages } from '../../kit/ui/table.tsx'
import { notify, notifyError } from '../../kit/ui/toast.tsx'

const sources = { call: 'on a call', api: 'by API', dashboard: 'by a user' }

/** Phone numbers that AI agents do not call. */
export function CallOptOuts({ may }: { may: boolean }) {
  const queries = useQueryClient()
  const [page, setPage] = useState(1)
  const [phone, setPhone] = useState('')
  const [dialog, confirm] = useConfirm()
  const { data } = useQuery({
    queryKey: ['call-opt-outs', page],
    queryFn: () => api.get('/v1/call_opt_outs', { query: { order: 'desc', page, per_page: 10 } }),
  })
  const refresh = () => queries.invalidateQueries({ queryKey: ['call-opt-outs'] })
  const add = async (event: FormEvent) => {
    event.preventDefault()
    const phone_number = readNumber(phone)
    if (phone_number === undefined) {
      notifyError(new Error(numberProblem()))
      return
    }
    try {
      await api.post('/v1/call_opt_outs', { body: { phone_number } })
      setPhone('')
      await refresh()
      notify('Number opted out')
    } catch (failure) {
      notifyError(failure)
    }
  }
  const remove = (phone_number: string) =>
    confirm({
      title: `Opt ${displayNumber(phone_number)} back in?`,
      body: 'AI agents may call the number again. Only do this at the request of its owner.',
      action: 'Opt back in',
      run: async () => {
        await api.delete('/v1/call_opt_outs/{phone_number}', { params: { phone_number } })
        await refresh()
        notify('Number opted back in')
      },
    })
  return (
    <Paper withBorder p="md" mt="lg" component="section" aria-label="Opt-outs">
      {dialog}
      <Stack gap="sm">
        <Title order={2} size="h4">
          Opt-outs
        </Title>
        <Text size="sm" c="dimmed">
          AI agents do not call these numbers. Callees are added when they ask not to be called again.
        </Text>
        {may && (
          <form onSubmit={(event) => void add(event)}>
            <Group align="flex-end">
              <PhoneInput label="Phone number" value={phone} onChange={setPhone} />
              <Button type="submit" variant="default" disabled={phone.trim() === ''}>
                Add
              </Button>
            </Group>
          </form>
        )}
        {data?.call_opt_outs.map(({ phone_number, source, created_at }) => (
          <Group key={phone_number} justify="space-between" wrap="nowrap">
            <Text size="sm">
              {displayNumber(phone_number)}{' '}
              <Text span size="sm" c="dimmed">
                {sources[source]}, {when(created_at)}
              </Text>
            </Text>
            {may && (
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={`Opt ${displayNumber(phone_number)} back in`}
                onClick={() => remove(phone_number)}
              >
                <IconTrash size={16} />
              </ActionIcon>
            )}
          </Group>
        ))}
        {data?.meta.total === 0 && (
          <Text size="sm" c="dimmed">
            No numbers have opted out.
          </Text>
        )}
        {data && data.meta.total > 10 && <Pages meta={data.meta} onPage={setPage} />}
      </Stack>
    </Paper>
  )
}
