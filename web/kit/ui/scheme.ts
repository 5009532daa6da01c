import { useComputedColorScheme, useMantineColorScheme } from '@mantine/core'

/** Follows the colour scheme of the system until the user chooses one. */
export function useScheme() {
  const { setColorScheme } = useMantineColorScheme()
  const scheme = useComputedColorScheme('light')
  return { scheme, toggleScheme: () => setColorScheme(scheme === 'dark' ? 'light' : 'dark') }
}
