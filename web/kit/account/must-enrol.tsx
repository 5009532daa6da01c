import { Anchor, Center, Paper, Stack, Text, Title } from '@mantine/core'
import type { Session } from '../session-query.ts'
import { TwoStepSetup } from './two-step-setup.tsx'

interface MustEnrolProps {
  session: Session
  done: () => void
  signOut: () => void
}

/** The company requires two-step verification, and the user has not set it up. */
export default function MustEnrol({ session, done, signOut }: MustEnrolProps) {
  return (
    <Center mih="100vh" p="md" component="main">
      <Paper withBorder shadow="sm" p="xl" w="100%" maw={460}>
        <Stack>
          <div>
            <Title order={1} size="h2">
              Set up two-step verification
            </Title>
            <Text c="dimmed" size="sm">
              {session.company.name} requires it of all users. After your password you then enter a code from an
              authenticator app.
            </Text>
          </div>
          <TwoStepSetup done={done} />
          <Anchor component="button" type="button" size="sm" onClick={signOut}>
            Sign out
          </Anchor>
        </Stack>
      </Paper>
    </Center>
  )
}
