import type { GuideKind, NewGuideOf, ScorecardQuestion } from './guide.ts'

// Blank guides and templates. The phrases of the templates are ordinary sentences of agents, which the rules compare with
// the transcript.

const yesOrNo = (text: string, points: number, phrases: string[]): ScorecardQuestion => ({
  text,
  type: 'BINARY',
  points,
  strictness: 1,
  ai_enabled: true,
  phrases,
})

export const emptyQuestion = (): ScorecardQuestion => yesOrNo('', 10, [])

const rated = (text: string, points: number): ScorecardQuestion => ({
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
    name: 'First customer call',
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
    name: 'CRM summary',
    active: true,
    summary_template: {
      language: 'en',
      sections: [
        { name: 'Reason for the call', type: 'PARAGRAPH', extractor: 'reason' },
        { name: 'Next steps', type: 'BULLET_POINTS', extractor: 'next_steps' },
        { name: 'Topics', type: 'BULLET_POINTS', extractor: 'topics' },
        { name: 'Sentiment', type: 'PARAGRAPH', extractor: 'sentiment' },
      ],
    },
  }),
  scorecard: () => ({
    kind: 'scorecard',
    name: 'Service quality',
    active: true,
    scorecard: {
      description: 'Standards for every call',
      categories: [
        {
          name: 'Opening',
          questions: [
            yesOrNo('Did the agent greet the caller?', 10, ['thank you for calling', 'good morning', 'how can I help']),
            yesOrNo('Did the agent introduce themselves?', 10, ['my name is', 'you are speaking with']),
          ],
        },
        {
          name: 'Resolution',
          questions: [
            yesOrNo('Did the agent collect the necessary information?', 20, [
              'can I have your order number',
              'could you tell me your name',
            ]),
            rated('Was the answer clear and complete?', 30),
          ],
        },
        {
          name: 'Closing',
          questions: [
            yesOrNo('Did the agent offer further help?', 10, [
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
