package dev.holdfast.lock.leader;

/** A change of this instance's leadership. {@link LeaderListener} has a method for each kind of event. */
public sealed interface LeaderEvent {

    /** Returns the name of the election. */
    String name();

    /** Returns the fencing token of the leadership. It is greater than the token of every earlier leader. */
    long fencingToken();

    /** This instance became the leader. */
    record Granted(String name, long fencingToken) implements LeaderEvent {}

    /** This instance is no longer the leader: it stepped down or was stopped, or its lease was lost. */
    record Revoked(String name, long fencingToken) implements LeaderEvent {}
}
