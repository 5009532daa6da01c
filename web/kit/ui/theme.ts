import {
  alpha,
  CloseButton,
  type CSSVariablesResolver,
  createTheme,
  Drawer,
  type MantineColorsTuple,
  Modal,
  Notification,
} from '@mantine/core'

const sea: MantineColorsTuple = [
  '#e6f6f5',
  '#d2ebe9',
  '#a6d6d3',
  '#76c0bb',
  '#4faea8',
  '#36a39c',
  '#279d96',
  '#178983',
  '#0b7a75',
  '#006a65',
]

/** Night, with a little blue in it. */
const dark: MantineColorsTuple = [
  '#d7dce2',
  '#b1b9c2',
  '#8f99a4',
  '#66717d',
  '#3b444f',
  '#2b333c',
  '#20272f',
  '#161b21',
  '#11151a',
  '#0c0f13',
]

/** Of dialogs, drawers and toasts. */
const named = { 'aria-label': 'Close' }

/** One look for both apps, light and dark. */
export const theme = createTheme({
  primaryColor: 'sea',
  primaryShade: { light: 8, dark: 8 },
  colors: { sea, dark },
  defaultRadius: 'md',
  fontFamily: 'Inter, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  headings: { fontWeight: '650' },
  cursorType: 'pointer',
  autoContrast: true,
  // Black or white, whichever of the two can be read better.
  luminanceThreshold: 0.183,
  components: {
    // What it would put first into a menu is no item, and must not be there for a screen reader.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
    CloseButton: CloseButton.extend({ defaultProps: named }),
    // Under a title it would be too pale to read.
    Notification: Notification.extend({ styles: { description: { color: 'var(--mantine-color-dimmed)' } } }),
    Modal: Modal.extend({ styles: { title: { fontWeight: 650 } } }),
    Drawer: Drawer.extend({ styles: { title: { fontWeight: 650 } } }),
  },
})

/** Words on a pale ground of their own colour, where the library's darkest shade is too light to read. */
const inkOf = {
  yellow: '#7a4b00',
  orange: '#8f3a00',
  lime: '#3c6300',
  green: '#1d6b2e',
  teal: '#04694d',
  cyan: '#0a5a69',
  blue: '#0f5aa8',
  red: '#b02020',
  gray: '#3d444b',
  pink: '#99174f',
}

/** Small print can be read at 4.5 : 1 in both schemes, which the library's own greys do not reach. */
export const readable: CSSVariablesResolver = ({ colors }) => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#596069',
    '--mantine-color-placeholder': '#6a727b',
    '--mantine-color-error': '#c92a2a',
    ...Object.fromEntries(Object.entries(inkOf).map(([name, ink]) => [`--mantine-color-${name}-light-color`, ink])),
  },
  dark: {
    '--mantine-color-dimmed': '#a3acb6',
    '--mantine-color-placeholder': '#98a2ad',
    '--mantine-color-error': '#ff8787',
    ...Object.fromEntries(Object.entries(colors).flatMap(([name, shades]) => calmAtNight(name, shades))),
  },
})

/** A breath of the colour over the dark ground, and its pale shade as ink. */
const calmAtNight = (name: string, shades: MantineColorsTuple): [string, string][] => {
  if (name === 'dark') return []
  return [
    [`--mantine-color-${name}-light`, alpha(shades[6], 0.16)],
    [`--mantine-color-${name}-light-hover`, alpha(shades[6], 0.24)],
    [`--mantine-color-${name}-light-color`, shades[2]],
  ]
}
