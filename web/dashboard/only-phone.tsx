import { Button, Center, Stack, Text, Title } from '@mantine/core'
import { signOut, useSession } from '../kit/session.tsx'

/** Shown to agents without a dashboard role. */
export function OnlyPhone() {
  const { user } = useSession()
  return (
    <Center mih="100vh" p="md" component="main">
      <Stack align="center" ta="center" maw={420}>
        <Title order={1} size="h2">
          Use the phone app
        </Title>
        <Text c="dimmed">
          {user.first_name}, your role gives you access to the phone app. The dashboard is for admins and supervisors;
          contact an admin if you need access.
        </Text>
        <Button component="a" href="/phone">
          Open the phone app
        </Button>
        <Button variant="subtle" onClick={() => void signOut()}>
          Sign out
        </Button>
      </Stack>
    </Center>
  )
}
