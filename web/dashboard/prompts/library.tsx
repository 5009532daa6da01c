import { ActionIcon, Anchor, Badge, Box, Button, Group, Loader, Stack, Text, TextInput, Tooltip } from '@mantine/core'
import { IconPencil, IconPlayerPlay, IconSearch, IconTrash } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { Link } from 'react-router'
import { api, type ResponseOf } from '../../kit/api.ts'
import { CheckedForm } from '../../kit/ui/checked-form.tsx'
import { useConfirm } from '../../kit/ui/confirm.tsx'
import { ErrorAlert, errorMessage } from '../../kit/ui/error-alert.tsx'
import { Empty } from '../../kit/ui/page.tsx'
import { notify } from '../../kit/ui/toast.tsx'
import { type AudioFile, audioLength, deleteSound, renameSound, soundsKey, useSounds } from '../number-flow/sounds.ts'
import { matches } from '../parts/list-table.ts'
import { Listen } from './new-prompt.tsx'

type PromptUse = ResponseOf<'/v1/sounds/uses'>['uses'][number]

const places: Record<PromptUse['place'], string> = {
  live: 'flow',
  draft: 'draft',
  hold_music: 'hold music',
  recording_notice: 'recording announcement',
}

/** A shorter list needs no search. */
const searchable = 5

/** The stored prompts of the company: listen, rename, delete, and use one where `use` is given. */
export function PromptLibrary({
  mayChange,
  chosen = null,
  use,
  empty,
}: {
  mayChange: boolean
  chosen?: string | null
  use?: (sound: AudioFile) => void
  /** The next action where there are no prompts. */
  empty?: ReactNode
}) {
  const sounds = useSounds()
  const uses = useQuery({
    queryKey: [...soundsKey, 'uses'],
    queryFn: async () => (await api.get('/v1/sounds/uses')).uses,
  })
  const [dialog, confirm] = useConfirm()
  const queries = useQueryClient()
  const [words, setWords] = useState('')
  const remove = (sound: AudioFile) =>
    confirm({
      title: `Delete ${sound.name}?`,
      body: 'This cannot be undone.',
      action: 'Delete',
      run: async () => {
        await deleteSound(sound)
        await queries.invalidateQueries({ queryKey: soundsKey })
        notify(`“${sound.name}” deleted`)
      },
    })
  if (sounds.error) return <ErrorAlert error={sounds.error} retry={() => void sounds.refetch()} />
  if (!sounds.data) return <Loader size="sm" role="status" aria-label="Loading…" />
  const prompts = sounds.data.filter(({ name }) => name !== null)
  const found = prompts
    .filter(({ name }) => matches(words, [name ?? '']))
    .toSorted((a, b) => (a.name ?? '').localeCompare(b.name ?? ''))
  return (
    <>
      {dialog}
      {prompts.length === 0 && (
        <Empty title="No prompts yet" action={empty}>
          Greetings, menus and hold music that you type, record or upload appear here, for all flows.
        </Empty>
      )}
      {prompts.length > searchable && (
        <TextInput
          type="search"
          aria-label="Search prompts"
          placeholder="Search prompts"
          leftSection={<IconSearch size={16} />}
          maw={280}
          value={words}
          onChange={(event) => setWords(event.currentTarget.value)}
        />
      )}
      {prompts.length > 0 && found.length === 0 && <Empty title="No results" />}
      {found.length > 0 && (
        <Stack gap={0} component="ul" m={0} p={0} style={{ listStyle: 'none' }} aria-label="Prompts">
          {found.map((sound) => (
            <Prompt
              key={sound.url}
              sound={sound}
              uses={uses.data?.filter(({ url }) => url === sound.url)}
              isChosen={sound.url === chosen}
              mayChange={mayChange}
              remove={() => remove(sound)}
              {...(use && { use: () => use(sound) })}
            />
          ))}
        </Stack>
      )}
    </>
  )
}

function Prompt({
  sound,
  uses,
  isChosen,
  mayChange,
  remove,
  use,
}: {
  sound: AudioFile
  uses: PromptUse[] | undefined
  isChosen: boolean
  mayChange: boolean
  remove: () => void
  use?: () => void
}) {
  const [isOpen, setOpen] = useState(false)
  const [isRenaming, setRenaming] = useState(false)
  return (
    <Box component="li" py="xs" style={{ borderBottom: '1px solid var(--mantine-color-default-border)' }}>
      {isRenaming ? (
        <Rename sound={sound} done={() => setRenaming(false)} />
      ) : (
        <Group wrap="nowrap" gap="xs">
          <Tooltip label="Listen">
            <ActionIcon
              variant="light"
              aria-label={`Listen to ${sound.name}`}
              aria-expanded={isOpen}
              onClick={() => setOpen(!isOpen)}
            >
              <IconPlayerPlay size={16} />
            </ActionIcon>
          </Tooltip>
          <Box flex={1} miw={0}>
            <Text size="sm" truncate title={sound.name ?? ''}>
              {sound.name}
            </Text>
            <Text size="xs" c="dimmed" component="div">
              {audioLength(sound)} · <Uses uses={uses} />
            </Text>
          </Box>
          {use &&
            (isChosen ? (
              <Badge variant="light" tt="none" flex="none">
                Selected
              </Badge>
            ) : (
              <Button size="compact-sm" variant="default" flex="none" aria-label={`Use ${sound.name}`} onClick={use}>
                Use
              </Button>
            ))}
          {mayChange && (
            <>
              <Tooltip label="Rename">
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={`Rename ${sound.name}`}
                  onClick={() => setRenaming(true)}
                >
                  <IconPencil size={16} />
                </ActionIcon>
              </Tooltip>
              <Tooltip label="Delete">
                <ActionIcon variant="subtle" color="red" aria-label={`Delete ${sound.name}`} onClick={remove}>
                  <IconTrash size={16} />
                </ActionIcon>
              </Tooltip>
            </>
          )}
        </Group>
      )}
      {isOpen && (
        <Box pt="xs">
          <Listen source={sound.url} label={sound.name ?? 'Prompt'} />
        </Box>
      )}
    </Box>
  )
}

const maxShown = 3

function pathOf({ number_id, place }: PromptUse): string {
  if (number_id === null) return '/dashboard/company/recording'
  const isSetting = place === 'hold_music' || place === 'recording_notice'
  return `/dashboard/numbers/${number_id}/${isSetting ? 'settings' : 'flow'}`
}

function Uses({ uses }: { uses: PromptUse[] | undefined }) {
  if (!uses) return null
  if (uses.length === 0) return 'Not used'
  const more = uses.length - maxShown
  return (
    <>
      Used by{' '}
      {uses.slice(0, maxShown).map((use, nth) => (
        <span key={`${use.number_id}:${use.place}`}>
          {nth > 0 && ', '}
          <Anchor component={Link} size="xs" underline="always" to={pathOf(use)}>
            {use.number_name}
          </Anchor>{' '}
          ({places[use.place]})
        </span>
      ))}
      {more > 0 && ` and ${more} more`}
    </>
  )
}

function Rename({ sound, done }: { sound: AudioFile; done: () => void }) {
  const queries = useQueryClient()
  const [name, setName] = useState(sound.name ?? '')
  const save = useMutation({
    mutationFn: () => renameSound(sound, name.trim()),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: soundsKey })
      done()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    // A portal's form is a child of the page's form for React.
    event.stopPropagation()
    if (name.trim() !== '') save.mutate()
  }
  return (
    <CheckedForm onSubmit={submit}>
      <Group gap="xs" align="flex-start" wrap="nowrap">
        <TextInput
          flex={1}
          size="xs"
          aria-label="Name"
          maxLength={255}
          autoFocus
          value={name}
          error={name.trim() === '' ? 'Enter a name' : save.error && errorMessage(save.error)}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
        <Button size="xs" type="submit" loading={save.isPending} disabled={name.trim() === ''}>
          Save
        </Button>
        <Button size="xs" variant="default" onClick={done}>
          Cancel
        </Button>
      </Group>
    </CheckedForm>
  )
}
