import { Anchor } from '@mantine/core'
import { Link } from 'react-router'
import { isAdmin, useSession } from '../../kit/session.tsx'
import { Empty, Page } from '../../kit/ui/page.tsx'
import { isForbidden } from '../conversation/data.ts'
import { ActionItemList } from '../conversations/action-item-list.tsx'
import { CoachingList } from '../conversations/coaching-list.tsx'
import { ConversationOverview } from '../conversations/overview.tsx'
import { TranscriptSearch } from '../conversations/transcript-search.tsx'
import { GuideList, words } from '../intelligence/guide-list.tsx'
import { useIntelligence } from '../intelligence/settings.ts'
import { SettingsTab } from '../intelligence/settings-tab.tsx'
import { PlaceTabs } from '../parts/place-tabs.tsx'

export default function IntelligencePage() {
  const session = useSession()
  const { error } = useIntelligence()
  if (isForbidden(error)) {
    return (
      <Page title="Conversation intelligence">
        <Empty title="Not included in your plan">
          Transcripts, summaries and evaluations require the Assist package.{' '}
          {isAdmin(session) && session.tenancy === 'multi' && (
            <Anchor component={Link} to="/dashboard/company/plan" size="sm" underline="always">
              View plan
            </Anchor>
          )}
        </Empty>
      </Page>
    )
  }
  return (
    <Page
      title="Conversation intelligence"
      lead="Transcripts, topics, sentiment and action items of all calls, and how calls are analysed."
    >
      <PlaceTabs
        base="/dashboard/intelligence"
        label="Conversation intelligence"
        places={[
          { path: 'overview', label: 'Overview', element: <ConversationOverview /> },
          { path: 'search', label: 'Search', element: <TranscriptSearch /> },
          { path: 'action-items', label: 'Action items', element: <ActionItemList /> },
          { path: 'coaching', label: 'Coaching', element: <CoachingList /> },
          { path: 'settings', label: 'Settings', element: <SettingsTab /> },
          { path: 'topics', label: words.topic.label, element: <GuideList key="topic" kind="topic" /> },
          { path: 'playbooks', label: words.playbook.label, element: <GuideList key="playbook" kind="playbook" /> },
          {
            path: 'templates',
            label: words.summary_template.label,
            element: <GuideList key="template" kind="summary_template" />,
          },
          { path: 'scorecards', label: words.scorecard.label, element: <GuideList key="scorecard" kind="scorecard" /> },
        ]}
      />
    </Page>
  )
}
