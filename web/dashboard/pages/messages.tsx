import { Button } from '@mantine/core'
import { IconPencilPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { api } from '../../kit/api.ts'
import type { LineChoice } from '../../kit/inbox/new-conversation.tsx'
import { lazyPart } from '../../kit/load.ts'
import { isAdmin, useSession } from '../../kit/session.tsx'
import { useNumbers } from '../../kit/ui/lists.ts'
import { Page } from '../../kit/ui/page.tsx'
import { Conversations } from '../messages/conversations.tsx'
import { SmsTemplates } from '../messages/sms-templates.tsx'
import { type Place, PlaceTabs } from '../parts/place-tabs.tsx'

const NewConversation = lazyPart(() => import('../../kit/inbox/new-conversation.tsx'))

const base = '/dashboard/messages'
const places: [Place, ...Place[]] = [
  { path: 'inbox', label: 'Conversations', element: <Conversations /> },
  { path: 'templates', label: 'SMS templates', element: <SmsTemplates /> },
]

export default function MessagesPage() {
  const { pathname } = useLocation()
  const navigate = useNavigate()
  const { user } = useSession()
  const lines = useLines()
  const [isNew, setNew] = useState(false)
  const started = (id: string) => {
    setNew(false)
    void navigate(`${base}/inbox?c=${id}`)
  }
  return (
    <Page
      title="Messages"
      actions={
        !pathname.startsWith(`${base}/templates`) &&
        lines.length > 0 && (
          <Button leftSection={<IconPencilPlus size={16} />} onClick={() => setNew(true)}>
            New message
          </Button>
        )
      }
    >
      <PlaceTabs base={base} label="Messages" places={places} />
      {isNew && (
        <Suspense>
          <NewConversation lines={lines} first={user.default_number_id} close={() => setNew(false)} opened={started} />
        </Suspense>
      )}
    </Page>
  )
}

/** Admins can send from all numbers, other users from their own numbers. */
function useLines(): readonly LineChoice[] {
  const session = useSession()
  const { data: numbers } = useNumbers()
  const { data: mine } = useQuery({
    queryKey: ['me', 'lines'],
    queryFn: async () => (await api.get('/v1/me')).numbers,
  })
  return (isAdmin(session) ? numbers : mine) ?? []
}
