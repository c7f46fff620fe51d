package dev.holdfast.lock;

/**
 * Thrown when a lease ended before the work under it did. Another holder may have had the lock in the meantime. Data that the work wrote is safe only
 * where the {@linkplain Lease#fencingToken() fencing token} was checked.
 */
public class LeaseLostException extends IllegalMonitorStateException {

    private static final long serialVersionUID = 1L;

    private final transient LeaseLoss loss;

    /** Creates the exception. */
    public LeaseLostException(LeaseLoss loss) {
        super("The lease on lock '" + LogText.escape(loss.lockName()) + "' (fencing token " + loss.fencingToken()
                + ") was lost: " + loss.probableCause() + ". It was held for " + LogText.time(loss.held())
                + ", last confirmed " + LogText.time(loss.sinceConfirmed())
                + " before. Work done since may overlap another holder's");
        this.loss = loss;
    }

    /** Returns the loss: which lease was lost, and why. */
    public LeaseLoss loss() {
        return loss;
    }
}
