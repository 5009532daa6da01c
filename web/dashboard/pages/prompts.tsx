import { Button, Card } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlus } from '@tabler/icons-react'
import { isAdmin, useSession } from '../../kit/session.tsx'
import { Page } from '../../kit/ui/page.tsx'
import { PromptLibrary } from '../prompts/library.tsx'
import { CreatePrompt } from '../prompts/picker.tsx'

export default function Prompts() {
  const mayChange = isAdmin(useSession())
  const [isCreating, { open, close }] = useDisclosure()
  const create = mayChange && (
    <Button leftSection={<IconPlus size={16} />} onClick={open}>
      Create prompt
    </Button>
  )
  return (
    <Page title="Prompts" lead="Greetings, menus and hold music, shared by the flows of all numbers." actions={create}>
      <Card withBorder padding="md" maw={760}>
        <PromptLibrary mayChange={mayChange} />
      </Card>
      <CreatePrompt opened={isCreating} close={close} />
    </Page>
  )
}
