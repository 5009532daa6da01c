import { Stack } from '@mantine/core'
import { ChangePassword } from './change-password.tsx'
import { Passkeys } from './passkeys.tsx'
import { Sessions } from './sessions.tsx'
import { TwoStep } from './two-step.tsx'

/** Security settings of the signed-in user, in the dashboard and in the phone app. */
export default function AccountSecurity() {
  return (
    <Stack gap="lg" maw={720}>
      <TwoStep />
      <Passkeys />
      <ChangePassword />
      <Sessions />
    </Stack>
  )
}
