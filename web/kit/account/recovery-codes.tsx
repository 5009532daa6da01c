import { Alert, Button, Code, CopyButton, Group, SimpleGrid, Stack } from '@mantine/core'
import { IconCheck, IconCopy, IconDownload } from '@tabler/icons-react'

/** Shown once, right after they were created. */
export function RecoveryCodes({ codes, done }: { codes: readonly string[]; done: () => void }) {
  const text = codes.join('\n')
  const download = () => {
    const link = document.createElement('a')
    link.href = URL.createObjectURL(new Blob([`Hookswitch recovery codes\n\n${text}\n`], { type: 'text/plain' }))
    link.download = 'hookswitch-recovery-codes.txt'
    link.click()
    URL.revokeObjectURL(link.href)
  }
  return (
    <Stack>
      <Alert color="yellow" variant="light" title="Save your recovery codes">
        They are shown only now. Each signs you in once if you lose your phone. Keep them away from your computer, for
        example in a password manager.
      </Alert>
      <SimpleGrid cols={2} spacing="xs">
        {codes.map((code) => (
          <Code key={code} fz="md" ta="center" py={6}>
            {code}
          </Code>
        ))}
      </SimpleGrid>
      <Group justify="space-between" gap="xs">
        <Group gap="xs">
          <CopyButton value={text}>
            {({ copied, copy }) => (
              <Button
                variant="default"
                leftSection={copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
                onClick={copy}
              >
                {copied ? 'Copied' : 'Copy'}
              </Button>
            )}
          </CopyButton>
          <Button variant="default" leftSection={<IconDownload size={16} aria-hidden />} onClick={download}>
            Download
          </Button>
        </Group>
        <Button onClick={done}>I have saved them</Button>
      </Group>
    </Stack>
  )
}
