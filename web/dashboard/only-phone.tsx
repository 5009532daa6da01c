import { Button, Center, Stack, Text, Title } from '@mantine/core'
import { signOut, useSession } from '../kit/session.tsx'

/** The dashboard is for those who look after the company; agents have the phone app. */
export function OnlyPhone() {
  const { user } = useSession()
  return (
    <Center mih="100vh" p="md" component="main">
      <Stack align="center" ta="center" maw={420}>
        <Title order={1} size="h2">
          Your phone is over there
        </Title>
        <Text c="dimmed">
          {user.first_name}, you work with the phone app. The dashboard is for admins and supervisors; ask one of them
          if you need it.
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
