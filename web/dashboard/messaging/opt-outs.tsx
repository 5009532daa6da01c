import { Button, Stack, Text } from '@mantine/core'
import { IconMessageCheck } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { api, type ResponseOf } from '../../kit/api.ts'
import { displayNumber } from '../../kit/phone-number.ts'
import { useConfirm } from '../../kit/ui/confirm.tsx'
import { count, when } from '../../kit/ui/format.ts'
import { useNumbers } from '../../kit/ui/lists.ts'
import { Empty } from '../../kit/ui/page.tsx'
import { PhoneText } from '../../kit/ui/phone-text.tsx'
import { notify } from '../../kit/ui/toast.tsx'
import type { ListColumn } from '../parts/list-table.ts'
import { type ListAction, type ListChoice, ShortList } from '../parts/short-list.tsx'

type OptOut = ResponseOf<'/v1/opt_outs'>['opt_outs'][number]

export function OptOuts() {
  const queries = useQueryClient()
  const { data: numbers } = useNumbers()
  const [dialog, confirm] = useConfirm()
  const { data, error, refetch } = useQuery({
    queryKey: ['opt_outs'],
    queryFn: () => api.get('/v1/opt_outs'),
  })
  const numberName = (id: number) => numbers?.find((number) => number.id === id)?.name ?? `Number ${id}`
  const remove = ({ number_id, phone }: OptOut) =>
    confirm({
      title: `Opt ${displayNumber(phone)} back in?`,
      body: 'Only with their consent: many countries require it by law. They can also opt back in by texting START.',
      action: 'Opt back in',
      run: async () => {
        await optIn({ number_id, phone })
        await queries.invalidateQueries({ queryKey: ['opt_outs'] })
        notify(`${displayNumber(phone)} opted back in`)
      },
    })
  const left = data ? data.total - data.opt_outs.length : 0
  return (
    <Stack>
      {dialog}
      <ShortList
        page="opt-outs"
        label="Opt-outs"
        word="opt-out"
        search="Phone number"
        textsOf={({ phone }) => [phone, displayNumber(phone)]}
        alsoFinds={({ phone }, words) => holdsDigits(phone, words)}
        dateOf={({ at }) => at}
        choices={[numberChoice(data?.opt_outs ?? [], numberName)]}
        columns={columnsOf(numberName)}
        actions={actions(remove)}
        bulk={bulkActions}
        refresh={() => queries.invalidateQueries({ queryKey: ['opt_outs'] })}
        rows={data?.opt_outs}
        keyOf={({ number_id, phone }) => `${number_id} ${phone}`}
        nameOf={({ phone }) => displayNumber(phone)}
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

const optIn = ({ number_id, phone }: Pick<OptOut, 'number_id' | 'phone'>) =>
  api.delete('/v1/message_lines/{id}/opt_outs/{phone}', { params: { id: number_id, phone } })

/** Part of a number, as it is written or as it is dialled. */
function holdsDigits(phone: string, words: string): boolean {
  const digits = words.replaceAll(/\D/g, '').replace(/^0+/, '')
  return digits !== '' && !/\p{L}/u.test(words) && phone.includes(digits)
}

const numberChoice = (rows: readonly OptOut[], numberName: (id: number) => string): ListChoice<OptOut> => ({
  name: 'number',
  label: 'Number',
  all: 'All numbers',
  options: [...new Set(rows.map(({ number_id: id }) => id))].map((id) => ({
    value: String(id),
    label: numberName(id),
  })),
  of: ({ number_id: id }) => String(id),
})

const bulkActions: readonly ListAction<OptOut>[] = [
  {
    label: 'Opt back in',
    done: 'opted back in',
    icon: <IconMessageCheck size={14} />,
    body: 'Only with their consent: many countries require it by law. They can also opt back in by texting START.',
    run: optIn,
  },
]

const columnsOf = (numberName: (id: number) => string): ListColumn<OptOut>[] => [
  {
    label: 'Phone number',
    value: ({ phone }) => phone,
    cell: ({ phone }) => (
      <Text size="sm">
        <PhoneText value={phone} />
      </Text>
    ),
  },
  {
    label: 'Opted out of',
    value: ({ number_id: id }) => numberName(id),
    cell: ({ number_id: id }) => <Text size="sm">{numberName(id)}</Text>,
  },
  { label: 'Since', value: ({ at }) => at, cell: ({ at }) => <Text size="sm">{when(at)}</Text>, from: 'xs' },
]

const actions = (remove: (row: OptOut) => void): ListColumn<OptOut> => ({
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
})
