/** Tests of the demo AI agent; examples/agent-tests/robin.yaml has the same text. */
export const demoAgentTests = `# Tests of Robin, the AI agent of the demo company: it asks for the reason and the order number.
# Run them with: npx hookswitch test-agents examples/agent-tests/robin.yaml
agent: Robin
tests:
  - name: A caller gives reason and order number
    caller:
      persona: A customer who has the order number at hand
      lines:
        - My parcel has not arrived
        - forty-seven twenty-nine
        - Yes, that's right
    expect:
      outcome: answered
      answers:
        reason: My parcel has not arrived
        order_number: 4729
      says:
        - What is your order number
        - A colleague will take care of it
      never_says:
        - I did not understand
      max_turns: 3

  - name: A misheard order number is corrected
    caller:
      lines:
        - The invoice is wrong
        - "4 7 2 8"
        - No, it is 4 7 2 9
        - Correct
    expect:
      outcome: answered
      answers:
        order_number: 4729

  - name: The order number is typed
    caller:
      lines:
        - I want to return a chair
        - keys: "4729#"
        - keys: "1"
    expect:
      outcome: answered
      answers:
        order_number: 4729

  - name: A question about the opening hours is answered before the reason
    caller:
      lines:
        - When are you open?
        - I want to pick up my order
        - "12 34"
        - Yes please
    expect:
      outcome: answered
      says: We are open from nine to six
      answers:
        reason: I want to pick up my order
        order_number: 1234

  - name: A caller who asks for a human is transferred
    caller:
      persona: Impatient, does not talk to machines
      lines:
        - I would like to speak to a real person
    expect:
      outcome: escalated
      reason: asked for a person
      transferred_to: branch
      max_turns: 1

  - name: A caller who has no order number reaches a colleague
    caller:
      lines:
        - My parcel is damaged
        - I have no idea
        - I really do not know
        - No idea, sorry
    expect:
      outcome: escalated
      reason: not understood
      answers:
        order_number: null

  - name: A silent caller is asked twice and the call ends
    caller:
      lines:
        - silence: true
        - silence: true
        - silence: true
    expect:
      outcome: disconnected
      answers:
        reason: null
`
