import { Button, Stack, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { api, type ResponseOf } from '../../kit/api.ts'
import { displayNumber } from '../../kit/phone-number.ts'
import { useConfirm } from '../../kit/ui/confirm.tsx'
import { count, when } from '../../kit/ui/format.ts'
import { useNumbers } from '../../kit/ui/lists.ts'
import { Empty } from '../../kit/ui/page.tsx'
import { PhoneText } from '../../kit/ui/phone-text.tsx'
import { DataTable } from '../../kit/ui/table.tsx'
import { notify } from '../../kit/ui/toast.tsx'

type OptOut = ResponseOf<'/v1/opt_outs'>['opt_outs'][number]

export function OptOuts() {
  const queries = useQueryClient()
  const { data: numbers } = useNumbers()
  const [dialog, confirm] = useConfirm()
  const { data, error, refetch } = useQuery({
    queryKey: ['opt_outs'],
    queryFn: () => api.get('/v1/opt_outs'),
  })
  const nameOf = (id: number) => numbers?.find((number) => number.id === id)?.name ?? `Number ${id}`
  const remove = ({ number_id, phone }: OptOut) =>
    confirm({
      title: `Opt ${displayNumber(phone)} back in?`,
      body: 'Only with their consent: many countries require it by law. They can also opt back in by texting START.',
      action: 'Opt back in',
      run: async () => {
        await api.delete('/v1/message_lines/{id}/opt_outs/{phone}', { params: { id: number_id, phone } })
        await queries.invalidateQueries({ queryKey: ['opt_outs'] })
        notify(`${displayNumber(phone)} opted back in`)
      },
    })
  const left = data ? data.total - data.opt_outs.length : 0
  return (
    <Stack>
      {dialog}
      <DataTable
        label="Opt-outs"
        columns={[
          {
            label: 'Phone number',
            cell: ({ phone }) => (
              <Text size="sm">
                <PhoneText value={phone} />
              </Text>
            ),
          },
          { label: 'Opted out of', cell: ({ number_id }) => <Text size="sm">{nameOf(number_id)}</Text> },
          { label: 'Since', cell: ({ at }) => <Text size="sm">{when(at)}</Text>, from: 'xs' },
          {
            label: 'Actions',
            align: 'right',
            cell: (row) => (
              <Button
                size="compact-sm"
                variant="subtle"
                aria-label={`Opt back in ${displayNumber(row.phone)}`}
                onClick={() => remove(row)}
              >
                Opt back in
              </Button>
            ),
          },
        ]}
        rows={data?.opt_outs}
        keyOf={({ number_id, phone }) => `${number_id} ${phone}`}
        error={error}
        retry={() => void refetch()}
        empty={
          <Empty title="No opt-outs">
            Recipients who reply STOP receive no more messages from that number until they text START.
          </Empty>
        }
      />
      {left > 0 && (
        <Text size="sm" c="dimmed">
          and {count(left, 'older opt-out')}
        </Text>
      )}
    </Stack>
  )
}
