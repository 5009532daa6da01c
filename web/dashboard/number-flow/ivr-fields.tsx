import { ActionIcon, Button, Group, Input, Select, Stack, TextInput } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import type { IvrOption } from '../../../src/domain/flow/document.ts'
import { MediaField, Seconds, Whole } from './field-parts.tsx'
import type { WidgetOf } from './flow.ts'

const allKeys = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '0', '*', '#']

/** Keys, prompt, input timeout and retries of an IVR. */
export function IvrFields({
  widget,
  change,
  readOnly,
}: {
  widget: WidgetOf<'ivr'>
  change: (widget: WidgetOf<'ivr'>) => void
  readOnly: boolean
}) {
  const { options } = widget
  const free = allKeys.filter((key) => !options.some((option) => option.key === key))
  /** The branch moves to the new key. */
  const rename = (nth: number, key: string) => {
    const old = options[nth]
    if (!old) return
    const { [old.key]: to, ...others } = widget.branches ?? {}
    const branches = to === undefined ? others : { ...others, [key]: to }
    change({ ...widget, options: options.map((option, i) => (i === nth ? { ...option, key } : option)), branches })
  }
  const set = (changed: IvrOption[]) => change({ ...widget, options: changed })
  return (
    <>
      <MediaField
        label="Prompt"
        media={widget.media}
        set={(media) => change({ ...widget, media })}
        readOnly={readOnly}
      />
      <Input.Wrapper label="Keys">
        <Stack gap={6} mt={4}>
          {options.map((option, nth) => (
            <Group key={option.key} gap={6} wrap="nowrap">
              <Select
                size="xs"
                w={62}
                aria-label={`Key for ${option.title || 'this option'}`}
                data={[option.key, ...free]}
                value={option.key}
                readOnly={readOnly}
                allowDeselect={false}
                onChange={(key) => key && rename(nth, key)}
              />
              <TextInput
                size="xs"
                flex={1}
                aria-label={`Title of key ${option.key}`}
                placeholder="Title"
                maxLength={64}
                value={option.title}
                readOnly={readOnly}
                onChange={({ currentTarget: { value } }) =>
                  set(options.map((other, i) => (i === nth ? { ...other, title: value } : other)))
                }
              />
              {!readOnly && (
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={`Remove key ${option.key}`}
                  disabled={options.length === 1}
                  onClick={() => set(options.filter((_, i) => i !== nth))}
                >
                  <IconTrash size={14} />
                </ActionIcon>
              )}
            </Group>
          ))}
          {!readOnly && (
            <Button
              size="compact-xs"
              variant="subtle"
              disabled={free.length === 0}
              onClick={() => set([...options, { key: free[0] ?? '', title: '' }])}
            >
              Add key
            </Button>
          )}
        </Stack>
      </Input.Wrapper>
      <Seconds
        label="Input timeout"
        value={widget.timeout_seconds}
        range={[1, 60]}
        set={(timeout_seconds) => change({ ...widget, timeout_seconds })}
        readOnly={readOnly}
      />
      <Whole
        label="Retries"
        value={widget.tries}
        range={[1, 5]}
        set={(tries) => change({ ...widget, tries })}
        readOnly={readOnly}
      />
    </>
  )
}
