import type { GuideKind, NewGuideOf, Question } from './guide.ts'

// Where to begin: an empty one of each kind, and one that can be used as it is. Their phrases are ordinary sentences of
// agents, because that is what the rules compare with.

const yesOrNo = (text: string, points: number, phrases: string[]): Question => ({
  text,
  type: 'BINARY',
  points,
  strictness: 1,
  ai_enabled: true,
  phrases,
})

export const emptyQuestion = (): Question => yesOrNo('', 10, [])

const rated = (text: string, points: number): Question => ({
  text,
  type: 'RATING',
  points,
  strictness: 1,
  ai_enabled: true,
  phrases: [],
})

export const empty: { [K in GuideKind]: () => NewGuideOf<K> } = {
  topic: () => ({ kind: 'topic', name: '', active: true, topic: { keywords: [] } }),
  playbook: () => ({
    kind: 'playbook',
    name: '',
    active: true,
    playbook: { language: 'en', topics: [{ name: '', phrases: [] }] },
  }),
  summary_template: () => ({
    kind: 'summary_template',
    name: '',
    active: true,
    summary_template: { language: 'en', sections: [{ name: '', type: 'PARAGRAPH', extractor: 'reason' }] },
  }),
  scorecard: () => ({
    kind: 'scorecard',
    name: '',
    active: true,
    scorecard: { description: '', categories: [{ name: '', questions: [emptyQuestion()] }] },
  }),
}

export const starters: { [K in GuideKind]: () => NewGuideOf<K> } = {
  topic: () => ({
    kind: 'topic',
    name: 'Cancellation',
    active: true,
    topic: { keywords: ['cancel', 'cancellation', 'end my contract', 'close my account', 'unsubscribe'] },
  }),
  playbook: () => ({
    kind: 'playbook',
    name: 'First call of a customer',
    active: true,
    playbook: {
      language: 'en',
      topics: [
        { name: 'Greeting', phrases: ['thank you for calling', 'how can I help you'] },
        { name: 'Need', phrases: ['what are you looking for', 'tell me more about'] },
        { name: 'Budget', phrases: ['what is your budget', 'how much would you like to spend'] },
        { name: 'Next step', phrases: ['I will send you an offer', 'shall we make an appointment'] },
      ],
    },
  }),
  summary_template: () => ({
    kind: 'summary_template',
    name: 'For the CRM',
    active: true,
    summary_template: {
      language: 'en',
      sections: [
        { name: 'Reason for the call', type: 'PARAGRAPH', extractor: 'reason' },
        { name: 'Next steps', type: 'BULLET_POINTS', extractor: 'next_steps' },
        { name: 'Topics', type: 'BULLET_POINTS', extractor: 'topics' },
        { name: 'Mood', type: 'PARAGRAPH', extractor: 'sentiment' },
      ],
    },
  }),
  scorecard: () => ({
    kind: 'scorecard',
    name: 'Service quality',
    active: true,
    scorecard: {
      description: 'What every call should have',
      categories: [
        {
          name: 'Opening',
          questions: [
            yesOrNo('Did the agent greet the caller?', 10, ['thank you for calling', 'good morning', 'how can I help']),
            yesOrNo('Did the agent say who they are?', 10, ['my name is', 'you are speaking with']),
          ],
        },
        {
          name: 'Help',
          questions: [
            yesOrNo('Did the agent ask for what they need to know?', 20, [
              'can I have your order number',
              'could you tell me your name',
            ]),
            rated('Was the answer clear and complete?', 30),
          ],
        },
        {
          name: 'Closing',
          questions: [
            yesOrNo('Did the agent ask whether anything is left?', 10, [
              'is there anything else',
              'can I do anything else for you',
            ]),
            rated('Was the agent friendly?', 20),
          ],
        },
      ],
    },
  }),
}
