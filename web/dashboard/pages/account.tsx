import AccountSecurity from '../../kit/account/security.tsx'
import { useSession } from '../../kit/session.tsx'
import { Page } from '../../kit/ui/page.tsx'

export default function AccountPage() {
  const { user } = useSession()
  return (
    <Page title="Account security" lead={user.email}>
      <AccountSecurity />
    </Page>
  )
}
