import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { ErrorAlert } from './error-alert.tsx'

export interface ConfirmRequest {
  title: string
  /** The consequences, in a sentence. */
  body: ReactNode
  /** The verb on the button: "Delete". */
  action: string
  /** A word to type before the button works, for what cannot be undone. */
  typed?: string
  run: () => Promise<unknown>
}

/** The confirmation dialog, to be rendered in the page, and the function that opens it. */
export function useConfirm(): [dialog: ReactNode, ask: (question: ConfirmRequest) => void] {
  const [question, setQuestion] = useState<ConfirmRequest>()
  const [isOpen, setOpen] = useState(false)
  const ask = (asked: ConfirmRequest) => {
    setQuestion(asked)
    setOpen(true)
  }
  const dialog = (
    <Modal
      opened={isOpen}
      onClose={() => setOpen(false)}
      title={question?.title}
      centered
      // Above the drawer that opened it.
      zIndex={250}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {question && <Answer question={question} close={() => setOpen(false)} />}
    </Modal>
  )
  return [dialog, ask]
}

function Answer({ question: { body, action, typed, run }, close }: { question: ConfirmRequest; close: () => void }) {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const [word, setWord] = useState('')
  const isTyped = typed === undefined || word.trim().toLowerCase() === typed.toLowerCase()
  const go = async () => {
    setBusy(true)
    setError(undefined)
    try {
      await run()
      close()
    } catch (failure) {
      setError(failure)
    }
    setBusy(false)
  }
  return (
    <Stack>
      <Text size="sm" component="div">
        {body}
      </Text>
      {typed !== undefined && (
        <TextInput
          label={`Type “${typed}” to confirm`}
          autoComplete="off"
          data-autofocus
          value={word}
          onChange={(event) => setWord(event.currentTarget.value)}
        />
      )}
      {error !== undefined && <ErrorAlert error={error} />}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={close} {...(typed === undefined && { 'data-autofocus': true })}>
          Cancel
        </Button>
        <Button color="red" loading={isBusy} disabled={!isTyped} onClick={() => void go()}>
          {action}
        </Button>
      </Group>
    </Stack>
  )
}
