import { Modal, Tabs } from '@mantine/core'
import { type FormLeave, useFormLeave } from '../../kit/ui/leave-form.tsx'
import { notify } from '../../kit/ui/toast.tsx'
import type { AudioFile } from '../number-flow/sounds.ts'
import { PromptLibrary } from './library.tsx'
import { RecordPrompt, TypePrompt, UploadPrompt } from './ways.tsx'

/** Audio for a place of a flow: from the library, typed, recorded or uploaded. */
export function PromptPicker({
  opened,
  close,
  chosen,
  choose,
}: {
  opened: boolean
  close: () => void
  chosen: string | null
  choose: (url: string) => void
}) {
  const use = (sound: AudioFile) => {
    choose(sound.url)
    close()
    notify(`“${sound.name}” selected. Save to apply it`)
  }
  return (
    <PromptDialog opened={opened} close={close} title="Choose audio">
      {(form) => (
        <Tabs defaultValue="library">
          <Tabs.List aria-label="Source of the audio" mb="md">
            <Tabs.Tab value="library">Library</Tabs.Tab>
            <NewPromptTabs />
          </Tabs.List>
          <Tabs.Panel value="library">
            <PromptLibrary mayChange chosen={chosen} use={use} />
          </Tabs.Panel>
          <NewPromptPanels form={form} action="Save and use" onSaved={use} />
        </Tabs>
      )}
    </PromptDialog>
  )
}

/** A new prompt for the library. */
export function CreatePrompt({ opened, close }: { opened: boolean; close: () => void }) {
  const onSaved = (sound: AudioFile) => {
    close()
    notify(`“${sound.name}” saved`)
  }
  return (
    <PromptDialog opened={opened} close={close} title="Create prompt">
      {(form) => (
        <Tabs defaultValue="text">
          <Tabs.List aria-label="Source of the audio" mb="md">
            <NewPromptTabs />
          </Tabs.List>
          <NewPromptPanels form={form} action="Save" onSaved={onSaved} />
        </Tabs>
      )}
    </PromptDialog>
  )
}

function PromptDialog({
  opened,
  close,
  title,
  children,
}: {
  opened: boolean
  close: () => void
  title: string
  children: (form: FormLeave['form']) => React.ReactNode
}) {
  const { form, leave, dialog, isAsking } = useFormLeave(close)
  return (
    <Modal
      opened={opened}
      onClose={leave}
      closeOnEscape={!isAsking}
      title={title}
      size="lg"
      // A click beside the dialog must not discard typed text or a recording.
      closeOnClickOutside={false}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {children(form)}
      {dialog}
    </Modal>
  )
}

const NewPromptTabs = () => (
  <>
    <Tabs.Tab value="text">Type text</Tabs.Tab>
    <Tabs.Tab value="record">Record</Tabs.Tab>
    <Tabs.Tab value="upload">Upload</Tabs.Tab>
  </>
)

const NewPromptPanels = ({
  form,
  ...way
}: {
  form: FormLeave['form']
  action: string
  onSaved: (sound: AudioFile) => void
}) => (
  <div ref={form}>
    <Tabs.Panel value="text">
      <TypePrompt {...way} />
    </Tabs.Panel>
    <Tabs.Panel value="record">
      <RecordPrompt {...way} />
    </Tabs.Panel>
    <Tabs.Panel value="upload">
      <UploadPrompt {...way} />
    </Tabs.Panel>
  </div>
)
