import { ActionIcon, Badge, Button, Group, Stack, Switch, Text } from '@mantine/core'
import { IconEye, IconPencil, IconPlus, IconTrash } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../kit/api.ts'
import { isAdmin, useSession } from '../../kit/session.tsx'
import { count } from '../../kit/ui/format.ts'
import { Empty } from '../../kit/ui/page.tsx'
import { notifyError, notifyWithUndo } from '../../kit/ui/toast.tsx'
import { activationActions, activationFilter } from '../parts/activation.tsx'
import type { ListColumn } from '../parts/list-table.ts'
import { type ListAction, ShortList } from '../parts/short-list.tsx'
import type { Guide, GuideKind, NewGuide } from './guide.ts'
import { GuideDrawer, guideRequest } from './guide-drawer.tsx'
import { languageName } from './settings.ts'
import { empty, starters } from './starters.ts'
import { guidesKey, useGuides } from './use-guides.ts'
import { pointsOf } from './validate.ts'

interface Words {
  one: string
  label: string
  hint: string
  none: string
}

export const words: Record<GuideKind, Words> = {
  topic: {
    one: 'topic',
    label: 'Topics',
    hint: 'Categorize calls by keyword, in addition to the built-in topics.',
    none: 'No custom topics yet',
  },
  playbook: {
    one: 'playbook',
    label: 'Playbooks',
    hint: 'Talking points for agents. Every call is compared with the active playbook.',
    none: 'No playbooks yet',
  },
  summary_template: {
    one: 'template',
    label: 'Summary templates',
    hint: 'Summaries with your own sections, in addition to the standard summary.',
    none: 'No summary templates yet',
  },
  scorecard: {
    one: 'scorecard',
    label: 'Scorecards',
    hint: 'Questions for evaluating calls: answered by AI where possible, then reviewed by a supervisor.',
    none: 'No scorecards yet',
  },
}

export function GuideList({ kind }: { kind: GuideKind }) {
  const session = useSession()
  const queries = useQueryClient()
  const { data, error, refetch } = useGuides()
  const [open, setOpen] = useState<NewGuide | Guide>()
  const may = isAdmin(session)
  const { one, label, hint, none } = words[kind]
  const rows = data?.filter((guide) => guide.kind === kind)
  const reread = () => queries.invalidateQueries({ queryKey: guidesKey })
  const toggle = async (guide: Guide, active: boolean) => {
    const set = (isActive: boolean) =>
      queries.setQueryData<Guide[]>(guidesKey, (before) =>
        before?.map((other) => (other.id === guide.id ? { ...other, active: isActive } : other)),
      )
    set(active)
    try {
      await api.put('/v1/intelligence/guides/{id}', {
        params: { id: guide.id },
        body: { ...guideRequest(guide), active },
      })
    } catch (failure) {
      set(!active)
      notifyError(failure)
    }
  }
  const remove = async (guide: Guide) => {
    try {
      await api.delete('/v1/intelligence/guides/{id}', { params: { id: guide.id } })
      await reread()
      notifyWithUndo(`${guide.name} deleted`, async () => {
        await api.post('/v1/intelligence/guides', { body: guideRequest(guide) })
        await reread()
      })
    } catch (failure) {
      notifyError(failure)
    }
  }
  const begin = (
    <Group gap="xs" justify="center">
      <Button size="xs" onClick={() => setOpen(starters[kind]())}>
        Start from template
      </Button>
      <Button size="xs" variant="default" onClick={() => setOpen(empty[kind]())}>
        Start blank
      </Button>
    </Group>
  )
  return (
    <Stack>
      <Group justify="space-between" align="flex-start">
        <Text size="sm" c="dimmed" maw={560}>
          {hint}
        </Text>
        {may && rows && rows.length > 0 && (
          <Button leftSection={<IconPlus size={16} />} onClick={() => setOpen(empty[kind]())}>
            New {one}
          </Button>
        )}
      </Group>
      <ShortList
        page={pages[kind]}
        label={label}
        word={one}
        search="Name or contents"
        textsOf={(guide) => [guide.name, summaryOf(guide)]}
        dateOf={({ created_at: at }) => at}
        choices={[activationFilter]}
        columns={columnsOf({ may, rows: rows ?? [], toggle })}
        actions={actionsOf({ may, remove, edit: setOpen })}
        bulk={may ? bulkActions : []}
        refresh={reread}
        rows={rows}
        keyOf={({ id }) => id}
        nameOf={({ name }) => name}
        error={error}
        retry={() => void refetch()}
        empty={
          <Empty title={none} action={may && begin}>
            {may ? 'Start from a template and adapt it, or start blank.' : 'An admin can create one.'}
          </Empty>
        }
      />
      {open && (
        <GuideDrawer
          key={'id' in open ? open.id : 'new'}
          wanted={open}
          what={one}
          readOnly={!may}
          close={() => setOpen(undefined)}
        />
      )}
    </Stack>
  )
}

const pages = {
  topic: 'topics',
  playbook: 'playbooks',
  summary_template: 'summary-templates',
  scorecard: 'scorecards',
} as const

const activate = (guide: Guide, active: boolean) =>
  api.put('/v1/intelligence/guides/{id}', { params: { id: guide.id }, body: { ...guideRequest(guide), active } })

const bulkActions: readonly ListAction<Guide>[] = [
  ...activationActions(activate),
  {
    label: 'Delete',
    done: 'deleted',
    icon: <IconTrash size={14} />,
    run: ({ id }) => api.delete('/v1/intelligence/guides/{id}', { params: { id } }),
    undo: (guide) => api.post('/v1/intelligence/guides', { body: guideRequest(guide) }),
  },
]

interface RowActions {
  may: boolean
  rows: Guide[]
  toggle: (guide: Guide, active: boolean) => Promise<void>
  remove: (guide: Guide) => Promise<void>
  edit: (guide: Guide) => void
}

const columnsOf = ({ may, rows, toggle }: Pick<RowActions, 'may' | 'rows' | 'toggle'>): ListColumn<Guide>[] => [
  {
    label: 'Name',
    value: ({ name }) => name,
    cell: (guide) => (
      <div>
        <Text size="sm" fw={550}>
          {guide.name}
        </Text>
        <Text size="xs" c="dimmed" hiddenFrom="sm">
          {summaryOf(guide)}
        </Text>
      </div>
    ),
  },
  { label: 'Contents', value: summaryOf, cell: (guide) => <Text size="sm">{summaryOf(guide)}</Text>, from: 'sm' },
  {
    label: 'Active',
    value: ({ active }) => (active ? 0 : 1),
    cell: (guide) => (
      <Group gap="xs">
        <Switch
          aria-label={`${guide.name} active`}
          checked={guide.active}
          disabled={!may}
          onChange={({ currentTarget: { checked } }) => void toggle(guide, checked)}
        />
        {isOverridden(guide, rows) && (
          <Badge variant="light" color="yellow" tt="none">
            Overridden by an older one
          </Badge>
        )}
      </Group>
    ),
  },
]

const actionsOf = ({ may, remove, edit }: Pick<RowActions, 'may' | 'remove' | 'edit'>): ListColumn<Guide> => ({
  label: 'Actions',
  align: 'right',
  cell: (guide) => (
    <Group gap={2} justify="flex-end" wrap="nowrap">
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={`${may ? 'Edit' : 'View'} ${guide.name}`}
        onClick={() => edit(guide)}
      >
        {may ? <IconPencil size={16} /> : <IconEye size={16} />}
      </ActionIcon>
      {may && (
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={`Delete ${guide.name}`}
          onClick={() => void remove(guide)}
        >
          <IconTrash size={16} />
        </ActionIcon>
      )}
    </Group>
  ),
})

/** Only the oldest active playbook or template applies. */
const isOverridden = (guide: Guide, rows: Guide[]) =>
  guide.active &&
  (guide.kind === 'playbook' || guide.kind === 'summary_template') &&
  rows.some(({ active, id }) => active && id < guide.id)

function summaryOf(guide: Guide): string {
  switch (guide.kind) {
    case 'topic':
      return guide.topic.keywords.join(', ')
    case 'playbook':
      return `${count(guide.playbook.topics.length, 'topic')}, ${languageName(guide.playbook.language)}`
    case 'summary_template':
      return guide.summary_template.sections.map(({ name }) => name).join(', ')
    case 'scorecard': {
      const questions = guide.scorecard.categories.flatMap((category) => category.questions)
      return `${count(questions.length, 'question')}, ${pointsOf(guide)} points`
    }
  }
}
