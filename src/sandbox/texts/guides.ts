import type { Documents, GuideKind } from '../../features/intelligence/guides/store.ts'

// Topics, playbook, summary template and scorecards of the demo company.

type DemoGuide = { [K in GuideKind]: { kind: K; name: string; document: Documents[K] } }[GuideKind]

const topic = (name: string, ...keywords: string[]): DemoGuide => ({ kind: 'topic', name, document: { keywords } })

const yesOrNo = (text: string, points: number, ...phrases: string[]) => ({
  text,
  type: 'BINARY' as const,
  points,
  strictness: 1 as const,
  aiEnabled: true,
  phrases,
})

const rating = (text: string, points: number) => ({
  text,
  type: 'RATING' as const,
  points,
  strictness: 1 as const,
  aiEnabled: true,
  phrases: [],
})

export const demoGuides: DemoGuide[] = [
  topic('Repair', 'repair', 'technician', 'leak', 'leaking', 'error 14', 'pump', 'gasket'),
  topic('Coffee and supplies', 'house blend', 'beans', 'decaf', 'cups', 'filter', 'tablets'),
  topic('Lease and contract', 'lease', 'contract', 'subscription', 'quarterly'),
  topic('Training and tasting', 'training', 'tasting', 'showroom', 'barista'),
  {
    kind: 'playbook',
    name: 'Customer call',
    document: {
      language: 'en',
      topics: [
        {
          name: 'Greeting',
          phrases: ['how can I help you', 'what are you looking for', 'I wanted to ask how it is going'],
        },
        { name: 'Look into it', phrases: ['let me check', 'let me look', 'let me see'] },
        { name: 'Next step', phrases: ['I will send you', 'I will book', 'I will call you', 'I will send'] },
        { name: 'Anything else', phrases: ['is there anything else'] },
      ],
    },
  },
  {
    kind: 'summary_template',
    name: 'CRM summary',
    document: {
      language: 'en',
      sections: [
        { name: 'Reason for the call', type: 'PARAGRAPH', extractor: 'reason' },
        { name: 'Next steps', type: 'BULLET_POINTS', extractor: 'next_steps' },
        { name: 'Topics', type: 'BULLET_POINTS', extractor: 'topics' },
      ],
    },
  },
  {
    kind: 'scorecard',
    name: 'Service quality',
    document: {
      description: 'Used for all recorded calls; supervisors review a sample.',
      categories: [
        {
          name: 'Opening',
          questions: [
            yesOrNo('Greets and offers help', 10, 'how can I help you', 'what are you looking for'),
            yesOrNo('Apologises when something went wrong', 10, 'I am sorry', 'I am very sorry'),
          ],
        },
        {
          name: 'Solution',
          questions: [
            yesOrNo('Looks into the case', 20, 'let me check', 'let me look', 'let me see'),
            yesOrNo(
              'Names the next step',
              20,
              'I will send',
              'I will book',
              'I will call you',
              'I will ask',
              'I will update',
            ),
            { ...rating('Lets the customer speak', 20), measure: 'talk_ratio' },
          ],
        },
        {
          name: 'Closing',
          questions: [
            yesOrNo('Asks if there is anything else', 10, 'is there anything else'),
            { ...rating('Leaves the customer in a good mood', 10), measure: 'sentiment' },
          ],
        },
      ],
    },
  },
]

/** What a supervisor writes below a reviewed evaluation. */
export const reviews = [
  'Calm and friendly. Next time, confirm the appointment by e-mail during the call.',
  'Very good handling of a difficult situation.',
  'Solution was right, but the customer had to ask twice. Offer the next step earlier.',
  'Great example for new colleagues.',
  'Please ask for the serial number at the beginning of the call.',
]

/** What leads to the predicted satisfaction, by mood. */
export const csatDrivers = {
  POSITIVE: ['Problem solved during the call', 'Friendly tone', 'Clear next step'],
  NEUTRAL: ['Clear next step', 'Customer has to wait for the result', 'Polite and to the point'],
  NEGATIVE: ['Repeated contact about the same problem', 'Earlier promise was not kept', 'Agent apologised'],
} as const
